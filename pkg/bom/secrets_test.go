package bom

import "strings"

// Secrets are put together at run time, so that scanners of our source find none.

const alphabet = "aB3dE7fGh1JkLm9NoPq2RsTu5VwXy8Zc4D6i0"

// secretFor returns a prefix and n letters and digits.
func secretFor(prefix string, n int) string {
	return prefix + strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

func hexFor(prefix string, n int) string {
	return prefix + strings.Repeat("0a1b2c3d4e5f6789", n/16+1)[:n]
}

func lettersFor(prefix string, n int) string {
	return prefix + strings.Repeat("QrStUvWxYzAbCdEfGhIjKlMnOp", n/26+1)[:n]
}

// secrets are synthetic credentials: what stands in a string, and what must not leave.
var secrets = map[string]struct{ text, secret string }{
	"Anthropic":             same(secretFor("sk-"+"ant-api03-", 93) + "AA"),
	"AWS access key id":     same("AKIA" + strings.ToUpper("iosfodnn7examplx")),
	"Azure sas":             {"https://acct.blob.core.windows.net/models/x?sv=2024&s" + "ig=" + "abc%2Fdef%3D&se=2026", "abc%2Fdef"},
	"Azure account key":     {"DefaultEndpointsProtocol=https;AccountName=x;Account" + "Key=" + secretFor("", 86) + "==;", secretFor("", 86)},
	"Azure client secret":   {"is " + "abc8" + "Q~" + secretFor("", 34) + " now", secretFor("", 34)},
	"Cerebras":              same(strings.ToLower(secretFor("csk-", 48))),
	"Databricks":            same(hexFor("dapi", 32)),
	"Docker Hub":            same(secretFor("dckr_"+"pat_", 27)),
	"Fireworks":             same(secretFor("fw_", 24)),
	"GitHub classic":        same(secretFor("gh"+"p_", 36)),
	"GitHub app":            same(secretFor("gh"+"s_", 36)),
	"GitHub fine-grained":   same(secretFor("github_"+"pat_", 82)),
	"GitLab":                same(secretFor("gl"+"pat-", 20)),
	"GitLab deploy":         same(secretFor("gl"+"dt-", 20)),
	"Google API key":        same(secretFor("AI"+"za", 35)),
	"Google access token":   same(secretFor("ya"+"29.", 60)),
	"Google client secret":  same(secretFor("GOC"+"SPX-", 28)),
	"Google signed URL":     {"https://storage.googleapis.com/b/o?X-Goog-Algorithm=x&X-Goog-Sig" + "nature=" + hexFor("", 64), hexFor("", 64)},
	"Groq":                  same(secretFor("gs"+"k_", 52)),
	"Hugging Face letters":  same(lettersFor("hf"+"_", 34)),
	"Hugging Face":          same(secretFor("hf"+"_", 34)),
	"Hugging Face org":      same(lettersFor("api_"+"org_", 34)),
	"JWT":                   same(secretFor("ey"+"J", 33) + "." + secretFor("ey"+"J", 40) + "." + secretFor("", 43)),
	"JWT in a URL":          {"https://h/m/ey" + "JhbGciOiJub25lIn0.ey" + "JzdWIiOiIxIn0.", "JzdWIiOiIxIn0"},
	"bearer":                {"Authorization: Bea" + "rer abc123DEF456", "abc123DEF456"},
	"bearer alone":          {"sent Bea" + "rer averylongtokenofletters", "averylongtokenofletters"},
	"basic":                 {"Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"},
	"LangSmith":             same(hexFor("lsv2_"+"pt_", 32) + "_0123456789"),
	"NVIDIA":                same(secretFor("nv"+"api-", 64)),
	"OpenAI legacy":         same(secretFor("s"+"k-", 20) + "T3Blbk" + "FJ" + secretFor("", 20)),
	"OpenAI project":        same(secretFor("s"+"k-proj-", 74) + "T3Blbk" + "FJ" + secretFor("", 74)),
	"OpenAI compatible":     same(hexFor("s"+"k-", 32)),
	"OpenRouter":            same(hexFor("s"+"k-or-v1-", 64)),
	"Perplexity":            same(secretFor("pp"+"lx-", 48)),
	"Pinecone":              same(secretFor("pc"+"sk_", 60)),
	"private key":           {"-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow" + secretFor("", 64) + "\n-----END RSA PRIVATE KEY-----", "MIIEow"},
	"Replicate":             same(secretFor("r"+"8_", 37)),
	"S3 signed URL":         {"https://b.s3.amazonaws.com/m.bin?X-Amz-Credential=AK%2F20260101%2Fus-east-1&X-Amz-Sig" + "nature=" + hexFor("", 64), hexFor("", 64)},
	"S3 signed credential":  {"https://b.s3.amazonaws.com/m.bin?X-Amz-Credential=ABCDEFGH%2F20260101", "ABCDEFGH"},
	"S3 session":            {"s3://b/k?x-amz-security-tok" + "en=FwoGZXIvYXdzEBYaD", "FwoGZXIvYXdzEBYaD"},
	"SendGrid":              same(secretFor("SG"+".", 22) + "." + secretFor("", 43)),
	"Slack bot":             same("xo" + "xb-1234567890-1234567890123-" + secretFor("", 24)),
	"Slack webhook":         {"https://hooks.slack" + ".com/services/T00000000/B00000000/" + secretFor("", 24), secretFor("", 24)},
	"Stripe":                same(secretFor("sk_"+"live_", 24)),
	"Together":              same(secretFor("tgp_"+"v1_", 43)),
	"token parameter":       {"https://h/m?revision=main&tok" + "en=" + hexFor("", 40), hexFor("", 40)},
	"access token fragment": {"https://h/m#access_tok" + "en=opaque", "opaque"},
	"api key parameter":     {"https://h/v1?api" + "-key=opaque", "opaque"},
	"userinfo":              {"https://user:pass" + "word1@host/repo", "password1"},
	"userinfo token only":   {"https://opaque" + "@host/repo.git", "opaque"},
	"userinfo with at":      {"https://me@corp:opa" + "que@host/x", "opaque"},
	"userinfo without TLS":  {"postgresql+asyncpg://litellm:opa" + "que@db:5432/x", "opaque"},
	"userinfo with a slash": {"https://user:p/opa" + "que@host/x", "opaque"},
	"userinfo in a query":   {"https://h/?u=https%3A%2F%2Fuser%3Aopa" + "que%40host", "opaque"},
	"password":              {"host=db pass" + "word=opaque port=1", "opaque"},
	"quoted api key":        {`{"api` + `_key": "opaque"}`, "opaque"},
	"flag":                  {"vllm serve x --api" + "-key opaque", "opaque"},
	"Vault":                 same(secretFor("hv"+"s.", 95)),
	"Weights and Biases":    same(secretFor("wandb_"+"v1_", 60)),
	"xAI":                   same(secretFor("x"+"ai-", 80)),
}

func same(s string) struct{ text, secret string } { return struct{ text, secret string }{s, s} }
