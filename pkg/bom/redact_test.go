package bom

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp/syntax"
	"strings"
	"testing"

	"k8saibom.dev/k8s-aibom/pkg/bom/bomtest"
)

func TestRedact(t *testing.T) {
	for name, tc := range secrets {
		t.Run(name, func(t *testing.T) {
			for _, around := range []string{"%s", "x %s y", "(%s)", "https://h/%s/x", "a=%s&b=c", `"%s"`, "%s;"} {
				text := fmt.Sprintf(around, tc.text)
				clean, changed := Redact(text)
				if !changed || strings.Contains(clean, tc.secret) {
					t.Errorf("Redact(%q) = %q, %t", text, clean, changed)
				}
				if again, changed := Redact(clean); changed {
					t.Errorf("redacting again changes %q to %q", clean, again)
				}
			}
		})
	}
}

func TestRedact_keyParameter(t *testing.T) {
	key := secretFor("", 20)
	for in, want := range map[string]string{
		"https://h/v1?key=" + key:            "https://h/v1?key=REDACTED",
		"(https://h/v1?a=b&key=" + key + ")": "(https://h/v1?a=b&key=REDACTED)",
		"https://h/v1?key=" + key + "&c=d":   "https://h/v1?key=REDACTED&c=d",
		"https://h/d?key=a/" + key + ".bin":  "https://h/d?key=a/" + key + ".bin",
	} {
		if got, _ := Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

// A false positive makes an inventory useless: none of these is a credential.
func TestRedact_keepsIdentities(t *testing.T) {
	for _, s := range []string{
		"", "a", "vllm/vllm-openai:v0.6.3", "docker.io/vllm/vllm-openai@" + digestOf("a"), digestOf("4"),
		"docker-pullable://repo@" + digestOf("b"), "oci://image@" + digestOf("b"), "oci://registry.example:5000/a/b@" + digestOf("c"),
		"docker://" + digestOf("d"), commit, strings.Repeat("ab", 64), "3d3e1f6a-6f0e-4c39-9a55-0c5e6f1d2b7a",
		"meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen2.5-Coder-32B-Instruct-GPTQ-Int4", "TheBloke/Mistral-7B-Instruct-v0.2-AWQ",
		"hf://bigscience/bloom-560m:" + commit, "hf://gpt2@main", "s3://bucket/models/hf_cache/model.bin", "gs://bucket/a/b?generation=12",
		"pvc://claim/path", "https://huggingface.co/org/name/resolve/main/model.safetensors?download=true", "/models/hf_mistral_7b_instruct",
		"spec.template.spec.containers[0].env[2](HF_MODEL_ID)", "spec.template.spec.containers[0].env[3](OPENAI_API_KEY)",
		"spec.template.spec.containers[0].env[3](HF_TOKEN)", "spec.template.spec.containers[0].args[0](--api-key=)",
		"spec.template.spec.containers[0].args[0 1](--api-key)", "spec.template.spec.containers[0].volumeMounts[0](weights -> /models)",
		"status.containerStatuses[name=server].imageID", "metadata.annotations[model.k8saibom.dev/name]",
		"the value of HF_TOKEN is in a Secret", "key token of Secret hf-token", "a Secret holds the value", "tokenizer=meta/llama",
		"--max-tokens=4096", "?max_tokens=4096", "https://h/?tokenizer=x", "ghcr.io/berriai/litellm:main-v1.40.0", "registry.example:5000/ns/image:tag",
		"git@github.com:org/repo.git", "$(ES_PASSWORD)", "password=$(PASSWORD)", "hf-token: $HUGGING_FACE_HUB_TOKEN", "basic authentication", "bearer token", "task-0123456789abcdef",
		"risk-aware-scheduler-long-name", "sk-learn-inference-server", "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.3.3",
		"llama-7c9d8f6b54-x2x9z", "https://h/download?key=models/llama.bin", "?max_tokens=10&sort_key=name&auth=true", "http://[::1]:8080/a@b",
		"http://host:8080/a@b", "oci://image:tag@" + digestOf("a"), "oci://registry.example:5000/a:tag@" + digestOf("a"), "sha256~", "eyJ", "user@example.com", "12345678:AA",
		"http://vllm.llm.svc.cluster.local:8000/v1", "https://my-resource.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-06-01",
	} {
		if clean, changed := Redact(s); changed {
			t.Errorf("Redact(%q) = %q", s, clean)
		}
	}
}

func TestRedact_userinfoGoesWhole(t *testing.T) {
	for in, want := range map[string]string{
		"https://user:token@host/repo":        "https://host/repo",
		"git+https://token@host/repo@v1":      "git+https://host/repo@v1",
		"https://a:b@c:d@host:8443/x?y=@z":    "https://host:8443/x?y=@z",
		"oci://u:p@image@" + digestOf("a"):    "oci://image@" + digestOf("a"),
		"see https://u@h1 and http://u:p@h2.": "see https://h1 and http://h2.",
		"hf://user:pass@org/name":             "hf://org/name",
	} {
		if got, changed := Redact(in); got != want || !changed {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever field a credential is put into, nothing of the document shows it.
func TestBuild_redactsEveryField(t *testing.T) {
	secret := secretFor("nv"+"api-", 40)
	_, count := filled()
	for target := 1; target <= count; target++ {
		in, n := Input{}, 0
		fill(reflect.ValueOf(&in).Elem(), func() string {
			if n++; n == target {
				return "https://user:" + secret + "@host/" + secret
			}
			return fmt.Sprintf("value-%d", n)
		})
		d := mustBuild(t, in)
		bomtest.RequireValid(t, d.Bytes)
		if strings.Contains(string(d.Bytes), secret) || strings.Contains(fmt.Sprintf("%+v", d.Summary), secret) {
			t.Errorf("string %d of the input leaves unredacted: %s", target, d.Bytes)
		}
		if !d.Redacted || !strings.Contains(string(d.Bytes), `"k8s-aibom:redaction:applied"`) {
			t.Errorf("redaction of string %d of the input is not recorded", target)
		}
	}
}

func TestBuild_redactsEverySecret(t *testing.T) {
	for name, tc := range secrets {
		in := typical()
		in.Facts.Models[0].Identity, in.Facts.Models[0].HubID = tc.text, tc.text
		in.Facts.Services[0].Endpoint = tc.text
		in.Facts.Containers[1].Image.Repository = tc.text
		d := mustBuild(t, in)
		bomtest.RequireValid(t, d.Bytes)
		escaped, _ := json.Marshal(tc.secret)
		for _, form := range []string{tc.secret, strings.Trim(string(escaped), `"`)} {
			if strings.Contains(string(d.Bytes), form) {
				t.Errorf("%s: the document shows %q: %s", name, form, d.Bytes)
			}
		}
	}
}

func TestBuild_marksTheRedactedComponent(t *testing.T) {
	in := typical()
	in.Facts.Models[1].Identity = "https://user:opaque" + "@models.example/sql"
	bom := decode(t, mustBuild(t, in).Bytes)
	if got := propertyOf(bom, "https://models.example/sql", propRedaction); got != "true" {
		t.Errorf("redaction of the model is %q, want true", got)
	}
	if got := propertyOf(bom, "vllm", propRedaction); got != "" {
		t.Errorf("redaction of the runtime is %q, want none", got)
	}
}

// Every rule is held against a text that is generated from its own pattern.
func TestRules_findTheirOwnShape(t *testing.T) {
	ids := map[string]bool{}
	for _, s := range append(loadShapes(providerRules), loadShapes(gitleaksRules)...) {
		if ids[s.ID] {
			t.Errorf("two rules are called %s", s.ID)
		}
		ids[s.ID] = true
		for _, k := range s.Keywords {
			if len(k) < 3 || k != strings.ToLower(k) {
				t.Errorf("%s: keyword %q has to be lower case and have three bytes or more", s.ID, k)
			}
		}
		parsed, err := syntax.Parse(s.Regex, syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", s.ID, err)
		}
		example := " " + sample(parsed.Simplify()) + " "
		if !s.compile().MatchString(example) {
			t.Fatalf("%s: the generated example %q does not match", s.ID, example)
		}
		if _, changed := Redact(example); !changed {
			t.Errorf("%s: its own example %q is not redacted: keywords %q, min %d", s.ID, example, s.Keywords, s.Min)
		}
	}
}

// sample returns a text that a pattern matches, of varied characters where it can.
func sample(re *syntax.Regexp) string {
	turn := 0
	var write func(re *syntax.Regexp) string
	write = func(re *syntax.Regexp) string {
		switch re.Op {
		case syntax.OpLiteral:
			return string(re.Rune)
		case syntax.OpCharClass:
			turn++
			candidates := ""
			for _, c := range alphabet {
				for i := 0; i < len(re.Rune); i += 2 {
					if c >= re.Rune[i] && c <= re.Rune[i+1] {
						candidates += string(c)
					}
				}
			}
			if candidates == "" {
				return string(re.Rune[0])
			}
			return candidates[turn%len(candidates) : turn%len(candidates)+1]
		case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
			return "."
		case syntax.OpCapture, syntax.OpPlus:
			return write(re.Sub[0])
		case syntax.OpConcat:
			var b strings.Builder
			for _, sub := range re.Sub {
				b.WriteString(write(sub))
			}
			return b.String()
		case syntax.OpAlternate:
			return write(re.Sub[0])
		}
		return ""
	}
	return write(re)
}

func TestRules_licenceStandsBeside(t *testing.T) {
	if len(gitleaksRules) == 0 || len(providerRules) == 0 {
		t.Fatal("rules are missing")
	}
}
