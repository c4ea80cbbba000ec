package bom

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// An object has at most 1.5 MiB; whoever may write one must not be able to stall
// the server. The bounds are far above what is needed, so that a slow machine does not fail.
func TestBuild_hostileSizesTakeBoundedTime(t *testing.T) {
	every := ""
	for _, r := range credentialRules().rules {
		every += " " + strings.Join(r.keywords(), " ")
	}
	for name, value := range map[string]string{
		"one keyword repeated":   strings.Repeat("sk-", 1<<19),
		"every keyword repeated": strings.Repeat(every, 1<<20/len(every)),
		"one long run":           strings.Repeat("a", 1<<20) + "hf_" + strings.Repeat("a", 1<<19),
		"at signs":               "https://" + strings.Repeat("@", 1<<20),
		"equals signs":           strings.Repeat("?token=", 1<<17),
	} {
		in := typical()
		in.Facts.Models[0].Identity = value
		start := time.Now()
		d := mustBuild(t, in)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		bomtest.RequireValid(t, d.Bytes)
		if _, changed := Redact(value); !changed {
			t.Errorf("%s: Redact leaves %d bytes", name, len(value))
		}
	}
}

func TestBuild_hostileNumbersDoNotMultiply(t *testing.T) {
	in := trainingJob()
	trainer := in.Facts.Models[0].Container
	for i := range 8000 {
		in.Facts.Models = append(in.Facts.Models, evidence.Model{
			Identity: fmt.Sprint("m", i), Container: trainer, Role: []string{"", evidence.RoleAdapter, evidence.RoleBase, evidence.RoleDraft}[i%4],
		})
		in.Facts.Data = append(in.Facts.Data, evidence.Data{Kind: evidence.Dataset, Name: fmt.Sprint("d", i), Container: trainer})
		in.Facts.Runtimes = append(in.Facts.Runtimes, evidence.Runtime{Name: fmt.Sprint("r", i), Container: trainer})
	}
	start := time.Now()
	d := mustBuild(t, in)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%v", took)
	}
	if len(d.Bytes) > 32<<20 {
		t.Errorf("%d bytes", len(d.Bytes))
	}
}
