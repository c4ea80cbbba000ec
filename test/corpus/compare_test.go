package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const smallCorpus = "testdata/small"

func TestCompare_smallCorpus(t *testing.T) {
	r, err := Compare(smallCorpus, Selection{})
	require.NoError(t, err)

	require.Len(t, r.Folders, 2)
	right := r.Folders[1]
	assert.Equal(t, "serving", right.Name)
	assert.Equal(t, 1, right.Files)
	assert.Equal(t, 4, right.Roots)
	assert.Equal(t, 2, right.Compared)
	assert.Empty(t, right.Findings)
	for _, m := range []Measure{Presence, Runtimes, Versions, Models, HubIDs, Categories, Accelerators, Selectors, Images, Confidences, Locators} {
		tally := right.Tallies[m]
		assert.Positive(t, tally.Expected, m)
		assert.Equal(t, Tally{tally.Expected, tally.Expected, tally.Expected, tally.Expected, 0}, *tally, m)
	}

	var wrong []string
	for _, f := range r.All.Findings {
		assert.Equal(t, "other/wrong.yaml", f.File)
		assert.Equal(t, "StatefulSet/server", f.Root)
		wrong = append(wrong, f.String())
	}
	assert.Equal(t, []string{
		"output: leak; found vllm-openai",
		"runtimes: must not be; found vllm at spec.template.spec.containers[0].image",
		"models: must not be; found example/model at spec.template.spec.containers[0].args[0](--model=)",
		"runtimes: missing; expected sglang at spec.template.spec.containers[0].image; found vllm v0.6.3 [inferred] at spec.template.spec.containers[0].image",
		"runtimes: false positive; expected sglang at spec.template.spec.containers[0].image; found vllm v0.6.3 [inferred] at spec.template.spec.containers[0].image",
		"models: false positive; found example/model [declared] at spec.template.spec.containers[0].args[0](--model=)",
		"categories: differs; expected training; found inference",
		"images: missing; expected another:1",
	}, wrong)

	assert.Equal(t, map[string]int{"example.com/Unfollowed": 1}, r.NotFollowed)
	require.Len(t, r.Notes, 3)
	assert.Contains(t, r.Notes[0], "serving/right.yaml:30: the document cannot be read")
	assert.Equal(t, "serving/right.yaml: no document is Deployment/absent of the answers", r.Notes[1])
	assert.Equal(t, "serving/right.yaml:32: no answer is about this Deployment, which has no AIBOM", r.Notes[2])
}

func TestCompare_selection(t *testing.T) {
	r, err := Compare(smallCorpus, Selection{Folders: []string{"serving"}, Kinds: []string{"batch/Job"}})
	require.NoError(t, err)
	assert.Equal(t, 1, r.All.Files)
	assert.Equal(t, 1, r.All.Compared)
	assert.Empty(t, r.All.Findings)

	_, err = Compare(smallCorpus, Selection{Folders: []string{"servign"}})
	assert.ErrorContains(t, err, "servign")
}

func TestFailures(t *testing.T) {
	r, err := Compare(smallCorpus, Selection{})
	require.NoError(t, err)
	assert.Len(t, r.Failures(false), 1, "the leak")
	assert.Len(t, r.Failures(true), 5, "also two false claims, both of them forbidden")
}

func TestPrint_isTheSameEachTime(t *testing.T) {
	var outputs [2]bytes.Buffer
	for i := range outputs {
		r, err := Compare(smallCorpus, Selection{})
		require.NoError(t, err)
		require.NoError(t, r.Print(&outputs[i], true))
		require.NoError(t, r.WriteJSON(&outputs[i]))
	}
	assert.Equal(t, outputs[0].String(), outputs[1].String())
	for _, want := range []string{
		"other/wrong.yaml  StatefulSet/server\n", "the answer says: every fact here is the opposite",
		"all: 2 files, 5 workloads, 3 compared\n", "1 workloads are of kinds that are not followed yet: example.com/Unfollowed 1\n", `"verdict": "leak"`,
	} {
		assert.Contains(t, outputs[0].String(), want)
	}
}

func TestReadAnswers_whatTheScorerDoesNotKnowIsAnError(t *testing.T) {
	_, err := ReadAnswers("testdata/unknown-field")
	assert.ErrorContains(t, err, "mustNotSmell")
	_, err = ReadAnswers(t.TempDir())
	assert.ErrorContains(t, err, "answers")
}

// What the corpus says must hold whatever the rules are: no crash, no invalid document, no secret.
// How far the rules agree with the answers is printed.
func TestCorpus(t *testing.T) {
	corpus := os.Getenv(corpusVariable)
	if corpus == "" {
		t.Skip(corpusVariable + " is empty")
	}
	r, err := Compare(corpus, Selection{})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, r.Print(&out, false))
	t.Log("\n" + out.String())
	assert.Empty(t, r.Failures(false))
	assert.Positive(t, r.All.Compared)
}
