package detect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/evidence"
)

// hostileSpecs are pods that are meant to cost much.
func hostileSpecs() map[string]map[string]any {
	big := strings.Repeat("--model a/b ", 90_000)
	words := make([]any, 100_000)
	env := make([]any, 20_000)
	mounts := make([]any, 20_000)
	for i := range words {
		words[i] = "--model=$(A" + fmt.Sprint(i) + ")"
	}
	for i := range env {
		env[i] = map[string]any{"name": fmt.Sprint("A", i), "value": fmt.Sprintf("$(A%d)$(A%d)", i-1, i-1)}
		mounts[i] = map[string]any{"name": fmt.Sprint("v", i), "mountPath": fmt.Sprint("/models/", i)}
	}
	container := func(fields map[string]any) map[string]any {
		fields["name"], fields["image"] = "c", "vllm/vllm-openai:v0.8.5"
		return map[string]any{"containers": []any{fields}}
	}
	return map[string]map[string]any{
		"one huge argument":      container(map[string]any{"args": []any{big}}),
		"huge script":            container(map[string]any{"command": []any{"sh", "-c", big}}),
		"script of dollars":      container(map[string]any{"command": []any{"sh", "-c", strings.Repeat("$(", 30_000)}}),
		"script of braces":       container(map[string]any{"command": []any{"sh", "-c", strings.Repeat("{{", 30_000)}}),
		"script of parentheses":  container(map[string]any{"command": []any{"sh", "-c", strings.Repeat("(", 60_000)}}),
		"deep quotes":            container(map[string]any{"command": []any{"sh", "-c", strings.Repeat(`"$(`, 20_000)}}),
		"recursive function":     container(map[string]any{"command": []any{"sh", "-c", "f() { f; f; f; vllm serve a/b; }; f"}}),
		"doubling variable":      container(map[string]any{"command": []any{"sh", "-c", "a=aaaaaaaa\n" + strings.Repeat("a=$a$a\n", 60) + "vllm serve $a"}}),
		"nested loops":           container(map[string]any{"command": []any{"sh", "-c", strings.Repeat("for a in 1 2 3 4 5 6 7 8 9; do ", 12) + "vllm serve a/b" + strings.Repeat("; done", 12)}}),
		"loops of shells":        container(map[string]any{"command": []any{"sh", "-c", strings.Repeat("for a in 1 2 3 4 5 6 7 8 9; do ", 4) + `sh -c 'for b in 1 2 3 4 5 6 7 8 9; do sh -c "for c in 1 2 3 4 5 6 7; do vllm serve a/$c; done"; done'` + strings.Repeat("; done", 4)}}),
		"doubling positionals":   container(map[string]any{"command": []any{"sh", "-c", "set -- a b c; " + strings.Repeat("set -- \"$@\" \"$@\"; x=\"$@$@\"; ", 400)}}),
		"doubling array":         container(map[string]any{"command": []any{"bash", "-c", "x=(a b); for i in 1 2 3 4 5 6 7 8 9; do for j in 1 2 3 4 5 6 7 8 9; do for k in 1 2 3 4 5 6 7 8 9; do x=(${x[@]} ${x[@]}); done; done; done; vllm serve ${x[@]}"}}),
		"eval of eval":           container(map[string]any{"command": []any{"bash", "-c", "f() { eval \"$1;$1;$1\"; }; " + strings.Repeat("f 'f \"f x; f x\"'; ", 300)}}),
		"many arguments":         container(map[string]any{"args": words, "env": env}),
		"doubling environment":   container(map[string]any{"args": []any{"--model=$(A19999)", "$(A9999)"}, "env": env}),
		"growing environment":    container(map[string]any{"args": []any{"--model=$(A9)"}, "env": env}),
		"many mounts":            container(map[string]any{"volumeMounts": mounts}),
		"shells that start self": container(map[string]any{"command": []any{"sh", "-c", strings.Repeat("sh -c '", 2000)}}),
		"many wrappers":          container(map[string]any{"command": append([]any{}, anys(strings.Fields(strings.Repeat("env ", 3000)))...)}),
		"huge image":             {"containers": []any{map[string]any{"image": big}}},
		"huge annotation":        {"containers": []any{}},
	}
}

func anys(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

// Each of these is read within limits: the test would run for minutes otherwise.
func TestHostileInput(t *testing.T) {
	for name, spec := range hostileSpecs() {
		t.Run(name, func(t *testing.T) {
			template := map[string]any{"spec": spec, "metadata": map[string]any{"annotations": map[string]any{"model.k8saibom.dev/x": strings.Repeat("x", 1<<20)}}}
			read := ReadPodTemplate(template, "spec.template", "")
			f := Merge(DefaultRules().Detect(read, nil))
			Finish(&f)
			j, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			if len(j) > 4<<20 {
				t.Errorf("facts of %d bytes", len(j))
			}
			if len(f.Notes) == 0 {
				t.Error("nothing says that something was cut")
			}
		})
	}
}

func BenchmarkHostileInput(b *testing.B) {
	for name, spec := range hostileSpecs() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				t := ReadPodTemplate(map[string]any{"spec": spec}, "spec.template", "")
				f := DefaultRules().Detect(t, nil)
				Finish(&f)
			}
		})
	}
}

// Values of secret-like variables are never in the record.
func TestReadPodTemplate_keepsNoSecrets(t *testing.T) {
	spec := decode(t, `
containers:
- name: c
  image: vllm/vllm-openai:v1.0
  command: [sh, -c, "vllm serve a/b --api-key $VLLM_API_KEY --x $MY_PASSWORD $(HF_TOKEN) $OTHER"]
  env: [{name: VLLM_API_KEY, value: secret1}, {name: MY_PASSWORD, value: secret2}, {name: HF_TOKEN, value: secret3}, {name: OPENAI_API_KEY, value: secret4}, {name: UNREAD, value: secret5}, {name: LANGCHAIN_TRACING_V2, value: secret6}, {name: OTHER, value: kept}]
`)
	record := ReadPodTemplate(map[string]any{"spec": spec}, "spec.template", "")
	text := fmt.Sprintf("%+v", record)
	if strings.Contains(text, "secret") {
		t.Errorf("the record holds a secret: %s", text)
	}
	if !strings.Contains(text, "kept") {
		t.Error("a variable that the script refers to is gone")
	}
}

func TestDetect_isDeterministicAndConcurrent(t *testing.T) {
	record := ReadPodTemplate(map[string]any{"spec": decode(t, vllmSpec)}, "spec.template", "")
	pods := vllmPods(5)
	want := Merge(DefaultRules().Detect(record, pods))
	Finish(&want)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				got := Merge(DefaultRules().Detect(record, pods))
				Finish(&got)
				Finish(&got)
				if !reflect.DeepEqual(got, want) {
					t.Error("equal inputs give other facts")
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(`{"metadata":{"annotations":{"model.k8saibom.dev/a":"b"}},"spec":{"containers":[{"name":"c","image":"vllm/vllm-openai","args":["--model","a/b"],"env":[{"name":"A","value":"$(B)"}]}]}}`))
	f.Add([]byte(`{"spec":{"containers":[null,{"command":["sh","-c","vllm serve $M"],"env":[{"name":"M","value":3}]}],"volumes":[{}],"nodeSelector":{"a":1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var template map[string]any
		if json.Unmarshal(data, &template) != nil {
			t.Skip()
		}
		record := ReadPodTemplate(template, "spec.template", "r")
		a := Merge(DefaultRules().Detect(record, []Pod{status("a", "b", "c")}))
		Finish(&a)
		b := Merge(DefaultRules().Detect(record, []Pod{status("a", "b", "c")}))
		Finish(&b)
		if !reflect.DeepEqual(a, b) {
			t.Error("equal inputs give other facts")
		}
	})
}

func FuzzCommandLine(f *testing.F) {
	for _, s := range []string{"vllm serve a/b", "python -m x", "env A=1 sh -c 'ollama run x'", "torchrun -m lm_eval --model_args pretrained=a", "$(A) ${B:-c}"} {
		f.Add(s, "V", "a/b")
	}
	f.Fuzz(func(t *testing.T, line, name, value string) {
		words := strings.Fields(line)
		c := &container{path: "c", command: words, args: []string{line}, postStart: words, env: []variable{{name: name, value: value}}}
		l := readCommands(c, DefaultRules().matchImage("vllm/vllm-openai"))
		m := modelReader{c: c, fetched: map[string]string{}, hub: true, consumed: map[string]bool{}}
		for i := range l.runs {
			m.run(&l.runs[i], &imageMatch{}, true)
		}
		m.variables(&l.env, nil)
		checkClaims(t, m.models)
	})
}

func FuzzShell(f *testing.F) {
	for _, s := range []string{"a=1; vllm serve $a", "f(){ f; }; f", "for i in a b; do hf download $i; done", "vllm serve <M> {{ x }}", "set -- a b; ollama run \"$@\"", "eval vllm serve a", "case $a in b) c;; esac", "x=(a b); y ${x[@]} ${x:1:2} ${#x}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		c := &container{path: "c", command: []string{"bash", "-c", script}, env: []variable{{name: "V", value: "$(W)"}, {name: "W", from: "secretKeyRef"}}}
		l := readCommands(c, &imageMatch{})
		m := modelReader{c: c, fetched: map[string]string{}, hub: true, consumed: map[string]bool{}}
		for i := range l.runs {
			m.run(&l.runs[i], &imageMatch{}, true)
		}
		checkClaims(t, m.models)
	})
}

// checkClaims holds what is true of every claim, whatever the input.
func checkClaims(t *testing.T, claims []claim) {
	for _, c := range claims {
		switch {
		case (c.Confidence == evidence.Unresolved) != (c.Identity == ""):
			t.Errorf("claim %+v: an identity and only an identity makes it resolved", c)
		case c.Confidence == evidence.Unresolved && c.Reason == "":
			t.Errorf("claim %+v: no reason", c)
		case c.Locator == "" || c.Source == "":
			t.Errorf("claim %+v: no evidence", c)
		case strings.HasPrefix(c.Identity, "$"), strings.Contains(c.Identity, "{{"):
			t.Errorf("claim %+v: a placeholder is no identity", c)
		}
	}
}
