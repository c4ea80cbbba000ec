package bom

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// maxGrowth is how much longer input of twice the size may take. What is linear takes 2, what is
// quadratic 4; the rest is for machines that are busy.
const maxGrowth = 3.5

// smallestTime is what a measurement has to last to say anything of growth.
const smallestTime = 20 * time.Millisecond

// requireLinear fails if twice the size takes more than maxGrowth times as long. The least of some
// runs is compared, since other work of the machine only ever adds.
func requireLinear(t *testing.T, run func(scale int)) {
	t.Helper()
	least := func(scale int) time.Duration {
		best := time.Duration(1<<63 - 1)
		for range 5 {
			start := time.Now()
			run(scale)
			best = min(best, time.Since(start))
		}
		return best
	}
	one, two := least(1), least(2)
	if two > smallestTime && float64(two) > maxGrowth*float64(one) {
		t.Errorf("twice the size takes %v instead of %v", two, one)
	}
}

// An object has at most 1.5 MiB; whoever may write one must not be able to stall the server.
func TestBuild_hostileSizesTakeBoundedTime(t *testing.T) {
	every := ""
	for _, r := range credentialRules().rules {
		every += " " + strings.Join(r.keywords(), " ")
	}
	for name, value := range map[string]func(scale int) string{
		"one keyword repeated":   func(n int) string { return strings.Repeat("sk-", n<<18) },
		"every keyword repeated": func(n int) string { return strings.Repeat(every, n<<19/len(every)) },
		"one long run":           func(n int) string { return strings.Repeat("a", n<<19) + "hf_" + strings.Repeat("a", n<<18) },
		"at signs":               func(n int) string { return "https://" + strings.Repeat("@", n<<19) },
		"equals signs":           func(n int) string { return strings.Repeat("?token=", n<<16) },
	} {
		t.Run(name, func(t *testing.T) {
			requireLinear(t, func(scale int) {
				in := typical()
				in.Facts.Models[0].Identity = value(scale)
				mustBuild(t, in)
			})
			in := typical()
			in.Facts.Models[0].Identity = value(2)
			bomtest.RequireValid(t, mustBuild(t, in).Bytes)
			if _, changed := Redact(value(2)); !changed {
				t.Errorf("Redact leaves %d bytes", len(value(2)))
			}
		})
	}
}

func TestBuild_hostileNumbersDoNotMultiply(t *testing.T) {
	var size [3]int
	requireLinear(t, func(scale int) { size[scale] = len(mustBuild(t, hostileNumbers(4000*scale)).Bytes) })
	if size[2] > 32<<20 || float64(size[2]) > maxGrowth*float64(size[1]) {
		t.Errorf("%d bytes, and %d of twice the size", size[1], size[2])
	}
}

// hostileNumbers is a workload with many facts of each sort, all of one container.
func hostileNumbers(count int) Input {
	in := trainingJob()
	trainer := in.Facts.Models[0].Container
	for i := range count {
		in.Facts.Models = append(in.Facts.Models, evidence.Model{
			Identity: fmt.Sprint("m", i), Container: trainer, Role: []string{"", evidence.RoleAdapter, evidence.RoleBase, evidence.RoleDraft}[i%4],
		})
		in.Facts.Data = append(in.Facts.Data, evidence.Data{Kind: evidence.Dataset, Name: fmt.Sprint("d", i), Container: trainer})
		in.Facts.Runtimes = append(in.Facts.Runtimes, evidence.Runtime{Name: fmt.Sprint("r", i), Container: trainer})
	}
	return in
}
