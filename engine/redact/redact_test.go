package redact_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine/redact"
)

const (
	digits = "0123456789"
	hex    = digits + "abcdef"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	alnum  = digits + upper + lower
)

// chance returns n random characters of an alphabet. Every run draws new characters, so
// no file contains text like a key. The result never contains XXXX, which stands for a
// key.
func chance(n int, alphabet string) string { return draw(rand.Intn, n, alphabet) }

func draw(intn func(int) int, n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[intn(len(alphabet))]
		if i > 2 && strings.EqualFold(string(b[i-3:i]), string(b[i-2:i+1])) {
			b[i] = alphabet[0]
		}
	}
	return string(b)
}

// secrets returns made-up secrets by the name of their rule.
func secrets() map[string]string {
	begin, end := "-----BEGIN RSA PRIVATE"+" KEY-----", "-----END RSA PRIVATE"+" KEY-----"
	return map[string]string{
		"aws-access-token":         "AKIA" + chance(16, upper+"234567"),
		"github-pat":               "ghp" + "_" + chance(36, alnum),
		"github-app-token":         "ghs" + "_" + chance(36, alnum),
		"gitlab-pat":               "glpat" + "-" + chance(20, alnum),
		"slack-bot-token":          "xoxb" + "-" + chance(11, digits) + "-" + chance(12, digits) + "-" + chance(24, alnum),
		"stripe-access-token":      "sk" + "_live_" + chance(30, alnum),
		"private-key":              begin + "\n" + chance(64, alnum) + "\n" + chance(64, alnum) + "\n" + end,
		"jwt":                      "ey" + chance(30, alnum) + ".ey" + chance(60, alnum) + "." + chance(43, alnum),
		"npm-access-token":         "npm" + "_" + chance(36, lower+digits),
		"sendgrid-api-token":       "SG" + "." + chance(22, alnum) + "." + chance(43, alnum),
		"anthropic-api-key":        "sk-ant" + "-api03-" + chance(93, alnum) + "AA",
		"gcp-api-key":              "AIza" + chance(35, alnum),
		"huggingface-access-token": "hf" + "_" + chance(34, lower),
	}
}

func TestSecrets(t *testing.T) {
	for rule, secret := range secrets() {
		t.Run(rule, func(t *testing.T) {
			mark := "[redacted:" + rule + "]"
			for _, around := range []string{"%s", "use %s here", "export X=%s\n", "`%s`", "a \"%s\" b", "täx %s\n\n"} {
				r := redact.New()
				text, want := fmt.Sprintf(around, secret), fmt.Sprintf(around, mark)
				if got := r.Redact(text, false); got != want {
					t.Errorf("%q became %q, want %q", text, got, want)
				}
				if diff := cmp.Diff(map[string]int64{rule: 1}, r.Counts()); diff != "" {
					t.Errorf("counts of %q (-want +got)\n%s", text, diff)
				}
				wantJSON(t, r, map[string]any{"command": text, "n": 1.5}, map[string]any{"command": want, "n": 1.5})
				wantJSON(t, r, []any{[]any{text, nil, "\\\"<&>"}, text}, []any{[]any{want, nil, "\\\"<&>"}, want})
			}
		})
	}
}

// wantJSON checks that a redacted value stays JSON, indented or not, with no other
// change.
func wantJSON(t *testing.T, r *redact.Redactor, value, want any) {
	t.Helper()
	for _, indent := range []string{"", "  "} {
		text, err := json.MarshalIndent(value, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal([]byte(r.Redact(string(text), true)), &got); err != nil {
			t.Errorf("%s: no JSON any more: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}

// TestNamed: some secrets are revealed only by their names.
func TestNamed(t *testing.T) {
	secret := "q7" + chance(14, hex) + "Zx9K" + chance(12, hex)
	mark := "[redacted:generic-api-key]"
	r := redact.New()
	for _, text := range []string{`api_key = "%s"`, "DB_PASSWORD=%s\n", `{"client_secret": "%s"}`, "my-token: '%s'", strings.Repeat("long text ", 5000) + "\nAPI_TOKEN=%s"} {
		if got, want := r.Redact(fmt.Sprintf(text, secret), false), fmt.Sprintf(text, mark); got != want {
			t.Errorf("%.200q became %.200q", text, got)
		}
	}
	wantJSON(t, r, map[string]any{"env": map[string]any{"API_KEY": secret, "other": "x"}}, map[string]any{"env": map[string]any{"API_KEY": mark, "other": "x"}})
	wantJSON(t, r, map[string]any{"text": `{"api_key": "` + secret + `"}`}, map[string]any{"text": `{"api_key": "` + mark + `"}`})
}

// TestManyInOne: each of several secrets is replaced, and the text between them stays.
func TestManyInOne(t *testing.T) {
	r := redact.New()
	text, want := "", ""
	planted := secrets()
	for rule, secret := range planted {
		text += "\nfirst " + secret + " and again " + secret + "\n"
		want += "\nfirst [redacted:" + rule + "] and again [redacted:" + rule + "]\n"
	}
	if diff := cmp.Diff(want, r.Redact(text, false)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for rule := range planted {
		if n := r.Counts()[rule]; n != 2 {
			t.Errorf("%s: counted %d, want 2", rule, n)
		}
	}
}

// TestOrdinary: text that only looks random stays.
func TestOrdinary(t *testing.T) {
	uuid := chance(8, hex) + "-" + chance(4, hex) + "-4" + chance(3, hex) + "-a" + chance(3, hex) + "-" + chance(12, hex)
	r := redact.New()
	for _, text := range []string{
		"", "x", "commit " + chance(40, hex), "sha256:" + chance(64, hex), uuid, `{"uuid":"` + uuid + `","parentUuid":null}`,
		"toolu_01" + chance(22, alnum), "msg_01" + chance(22, alnum), "[image: image/png, 123456 bytes]",
		`func key(token string) (secret string, err error) { return auth(token), nil }`, "password: ********", "API_KEY=$API_KEY", `token: "${{ secrets.GITHUB_TOKEN }}"`,
		`{"input_tokens":123456789012,"cache_key":null,"tokens":["a","b"],"access":true}`, "use the api, the key is the cursor", `{"a":"\ud800 \u00e9 \/ \n"}`,
	} {
		if got := r.Redact(text, false); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got := r.Redact(text, true); json.Valid([]byte(text)) && got != text {
			t.Errorf("JSON %s became %s", text, got)
		}
	}
	if diff := cmp.Diff(map[string]int64{}, r.Counts()); diff != "" {
		t.Errorf("counted\n%s", diff)
	}
}
