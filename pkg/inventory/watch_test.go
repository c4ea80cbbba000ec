package inventory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds how long a test waits for what should happen at once.
const patience = 30 * time.Second

func next(t *testing.T, w *Watcher) Change {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	change, ok, err := w.Next(ctx, nil)
	require.NoError(t, err)
	require.True(t, ok)
	return change
}

func TestWatch_seesEachChangeInOrder(t *testing.T) {
	f := newFixture(t)
	f.run(t)
	f.Upsert(object(t, deployment, "team", "a"))
	w, err := f.Watch(0)
	require.NoError(t, err)
	defer w.Close()
	assert.Equal(t, []string{"team/apps-deployment-a"}, namesOf(w.Initial))

	f.Upsert(object(t, deployment, "team", "b"))
	added := next(t, w)
	assert.Nil(t, added.Old)
	assert.Equal(t, "apps-deployment-b", added.New.Name)

	f.Upsert(object(t, deployment, "team", "b", withModel("org/new")))
	modified := next(t, w)
	assert.Equal(t, added.New, modified.Old)
	assert.Greater(t, modified.Revision, added.Revision)

	f.Delete("team", deployment, "b")
	deleted := next(t, w)
	assert.Equal(t, modified.New, deleted.Old)
	assert.Nil(t, deleted.New)

	f.CloseNamespace("team")
	assert.Equal(t, "apps-deployment-a", next(t, w).Old.Name)
}

func TestWatch_recreatedObjectGoesBeforeItComes(t *testing.T) {
	f := newFixture(t)
	f.run(t)
	f.Upsert(object(t, deployment, "team", "a"))
	w, err := f.Watch(0)
	require.NoError(t, err)
	defer w.Close()
	f.Upsert(object(t, deployment, "team", "a", uid("second")))
	assert.Nil(t, next(t, w).New)
	assert.Equal(t, "second", next(t, w).New.Workload.UID)
}

func TestWatch_resumes(t *testing.T) {
	f := newFixture(t)
	f.run(t)
	view, err := f.List(0)
	require.NoError(t, err)
	f.Upsert(object(t, deployment, "team", "a"))
	f.Upsert(object(t, deployment, "team", "b"))
	w, err := f.Watch(view.Revision)
	require.NoError(t, err)
	defer w.Close()
	got := []string{next(t, w).New.Name, next(t, w).New.Name}
	assert.ElementsMatch(t, []string{"apps-deployment-a", "apps-deployment-b"}, got)
}

func TestWatch_refusesWhatItCannotResume(t *testing.T) {
	f := newFixture(t)
	f.run(t)
	view, err := f.List(0)
	require.NoError(t, err)

	_, err = f.Watch(view.Revision ^ 1)
	require.ErrorIs(t, err, ErrExpired, "another replica's")
	_, err = f.Watch(view.Revision.next() ^ 1)
	require.ErrorIs(t, err, ErrExpired, "another replica's, even when it is ahead")
	_, err = f.Watch(view.Revision.next().next())
	require.ErrorIs(t, err, ErrAhead)

	f.clock.Step(historyWindow + time.Second)
	f.Upsert(object(t, deployment, "team", "a"))
	_, err = f.Watch(view.Revision)
	require.ErrorIs(t, err, ErrExpired, "nobody followed, so the change was not recorded")
	again, err := f.List(0)
	require.NoError(t, err)
	w, err := f.Watch(again.Revision)
	require.NoError(t, err)
	w.Close()
	w.Close()
}

func TestWatch_slowWatcherIsCutOffAndDelaysNobody(t *testing.T) {
	f := newFixture(t)
	w, err := f.Watch(0)
	require.NoError(t, err)
	defer w.Close()
	for k := range 3 {
		f.Upsert(object(t, deployment, "team", fmt.Sprint("d", k)))
		f.names(t)
		f.clock.Step(historyWindow)
	}
	f.clock.Step(time.Second)
	f.names(t)
	_, _, err = w.Next(t.Context(), nil)
	require.ErrorIs(t, err, ErrExpired)
}

func TestList_exactlyAtARevisionOfTheHistory(t *testing.T) {
	f := newFixture(t)
	f.run(t)
	var views []View
	remember := func() {
		view, err := f.List(0)
		require.NoError(t, err)
		views = append(views, view)
	}
	remember()
	f.Upsert(object(t, deployment, "team", "a"))
	remember()
	f.Upsert(object(t, deployment, "team", "b"))
	remember()
	f.Delete("team", deployment, "a")
	remember()
	for _, want := range views {
		got, err := f.List(want.Revision)
		require.NoError(t, err)
		assert.Equal(t, want.Revision, got.Revision)
		assert.Equal(t, namesOf(want), namesOf(got))
	}
	f.clock.Step(historyWindow + time.Second)
	f.Upsert(object(t, deployment, "team", "c"))
	_, err := f.List(views[0].Revision)
	require.ErrorIs(t, err, ErrExpired)
}

func TestSetHealth_makesAKindStale(t *testing.T) {
	f := newFixture(t)
	f.Upsert(object(t, deployment, "team", "a"))
	f.SetHealth(deployment, &Staleness{Since: start, Failures: 2, Message: "no"})
	assert.Nil(t, f.get(t, "apps-deployment-a").Stale)
	f.SetHealth(deployment, &Staleness{Since: start, Failures: 3, Message: "no"})
	assert.Equal(t, "no", f.get(t, "apps-deployment-a").Stale.Message)
	assert.NotNil(t, f.get(t, "apps-deployment-a").Document, "the last good view is still served")
	f.SetHealth(deployment, nil)
	assert.Nil(t, f.get(t, "apps-deployment-a").Stale)
}

func TestWatch_seesAChangeThatComesWhileTheOneBeforeIsComputed(t *testing.T) {
	f := newFixture(t)
	w, err := f.Watch(0)
	require.NoError(t, err)
	defer w.Close()
	var once sync.Once
	f.count.during = func() {
		once.Do(func() { f.Upsert(object(t, deployment, "team", "a", withModel("org/last"))) })
	}
	f.Upsert(object(t, deployment, "team", "a", withModel("org/first")))
	f.run(t)
	assert.Equal(t, "org/first", next(t, w).New.Document.Summary.Models[0].Identity)
	assert.Equal(t, "org/last", next(t, w).New.Document.Summary.Models[0].Identity, "nobody had to read for it")
}

// Watchers that come and go while everything changes end with what a list shows.
func TestWatch_agreesWithListUnderLoad(t *testing.T) {
	f := newFixture(t)
	f.run(t)
	const writers, changes = 4, 300
	var work sync.WaitGroup
	for writer := range writers {
		work.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(writer)))
			for range changes {
				name := fmt.Sprintf("w%d-%d", writer, random.IntN(8))
				switch random.IntN(4) {
				case 0:
					f.Delete("team", deployment, name)
				case 1:
					f.Upsert(object(t, deployment, "team", name, uid(fmt.Sprint(name, random.IntN(3)))))
				default:
					f.Upsert(object(t, deployment, "team", name, withModel(fmt.Sprint("org/m", random.IntN(5)))))
				}
			}
		})
	}
	states := make([]map[string]*Entry, 3)
	watchers := make([]*Watcher, 3)
	for k := range watchers {
		w, err := f.Watch(0)
		require.NoError(t, err)
		watchers[k], states[k] = w, map[string]*Entry{}
		w.Initial.Each("", "", "", func(e *Entry) bool { states[k][e.Name] = e; return true })
	}
	work.Wait()
	f.Upsert(object(t, deployment, "team", "last"))
	view, err := f.List(0)
	require.NoError(t, err)
	want := map[string]*Entry{}
	view.Each("", "", "", func(e *Entry) bool { want[e.Name] = e; return true })
	for k, w := range watchers {
		last := Revision(0)
		for w.Reached() < view.Revision {
			change := next(t, w)
			require.Greater(t, change.Revision, last)
			last = change.Revision
			if change.Old != nil {
				require.Same(t, states[k][change.Old.Name], change.Old)
				delete(states[k], change.Old.Name)
			}
			if change.New != nil {
				states[k][change.New.Name] = change.New
			}
		}
		assert.Equal(t, want, states[k])
		w.Close()
	}
	require.NotEmpty(t, want)
}
