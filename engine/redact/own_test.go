package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hindsql/engine/redact"
)

// template matches a random part of an example, with its length and alphabet.
var template = regexp.MustCompile(`\{(\d+)(?::(\w+))?\}`)

var alphabets = map[string]string{
	"": alnum, "hex": hex, "upper": upper + "234567", "lower": lower + digits, "letters": upper + lower,
	"base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", "digits": digits, "base64": alnum + "+/", "url": alnum + "-_", "signs": alnum + "!@#$%^&*()",
}

// filled replaces the random parts of an example.
func filled(example string) string { return fill(rand.Intn, example) }

func fill(intn func(int) int, example string) string {
	return template.ReplaceAllStringFunc(example, func(part string) string {
		m := template.FindStringSubmatch(part)
		n, _ := strconv.Atoi(m[1])
		return draw(intn, n, alphabets[m[2]])
	})
}

// secretOf returns an example without the marks around its secret, and the secret.
func secretOf(example string) (text, secret string) {
	_, rest, _ := strings.Cut(example, "«")
	secret, _, _ = strings.Cut(rest, "»")
	return strings.NewReplacer("«", "", "»", "").Replace(example), secret
}

// redactor is shared by the tests, so patterns are compiled once.
var redactor = sync.OnceValue(redact.New)

// TestOwn: each rule finds its example, and keeps similar text.
func TestOwn(t *testing.T) {
	names := map[string]bool{}
	for _, own := range redact.OwnRules() {
		t.Run(own.Name, func(t *testing.T) {
			if names[own.Name] || len(own.Keywords) == 0 || !strings.HasPrefix(own.Source, "https://") {
				t.Errorf("a name that is there twice, no keyword, or no source: %+v", own)
			}
			names[own.Name] = true
			missed := 0
			for range 20 { // a random key may look like words
				text, secret := secretOf(filled(own.Finds))
				if secret == "" {
					t.Fatalf("no secret in %q", own.Finds)
				}
				if got := redactor().Redact(text, false); strings.Contains(got, secret) {
					if missed++; missed > 2 {
						t.Errorf("%q became %q", text, got)
					}
				}
			}
			if text := filled(own.Leaves); redactor().Redact(text, false) != text {
				t.Errorf("%q became %q", text, redactor().Redact(text, false))
			}
		})
	}
}

// TestContexts: the text around a secret reveals the secret.
func TestContexts(t *testing.T) {
	for _, example := range []string{
		"Authorization: Bearer «{40}»", `curl -H "Authorization: Bearer «{40}»" https://x`, `{"Authorization": "Bearer «{40}»"}`, "Authorization: Basic «" + pair() + "»", "X-API-Key: «{32}»", "X-Vault-Token: «{30}»",
		"Cookie: session=«{64:hex}»; theme=dark", "Set-Cookie: sid=«{32}»; Path=/",
		"postgres://ada:«{14}»@db.test:5432/shop", "redis://:«{24}»@cache:6379", "mongodb+srv://u:«{16}»@c.test", "https://«{40}»@git.test/x.git", "amqp://guest:«hunter2pass»@mq",
		"curl -u ada:«Xk9{13}» https://x", "mysql -uroot -p«Xk9{13}» db", "sshpass -p «Xk9{13}» ssh x", "sshpass -p'«Xk9{13}»' ssh x", "machine x login ada password «Xk9{13}»", "redis-cli -h x -a «Xk9{13}» ping",
		"deploy --token «{40}» --yes", "docker login -u ada --password «Xk9{17}»", "x --api-key=«{32}»", `["--password", "«Xk9{13}»"]`, "openssl rsa -passin pass:«Xk9{13}»", "psql --set password=«Xk9{13}»",
		"PGPASSWORD=«Xk9{13}» psql", `export DB_PASSWORD="«S3cr3t!{8}»"`, "GITHUB_PAT=«{40}»", "SENTRY_DSN=https://«{32:hex}»@o1.ingest.test/2", "SESSION_SECRET=«{48:hex}»", "HEROKU_API_KEY=«{8:hex}-{4:hex}-{4:hex}-{4:hex}-{12:hex}»", "MISTRAL_API_KEY=«{32}»",
		"password: |\n  «Xk9{12}»", "setx API_KEY «{32}»", "my api key is «{32}»", "aws configure set aws_secret_access_key «{40}»", "keytool -storepass «Xk9{13}» -list", "ssh-keygen -N '«Xk9{13}»' -f k", "echo '«Xk9{13}»' | sudo -S ls", "password: «correcthorsebattery»", "  password: «Xk9{13}»", `{"password": "«Xk9{13}»"}`, `{\"password\": \"«Xk9{13}»\"}`, `"secret_string": "«{32}»"`, "<password>«Xk9{13}»</password>", `password = '«Xk9{13}»'`, "the password is «Xk9!{13}»",
		"CREATE USER ada IDENTIFIED BY '«Xk9{13}»'", "ALTER ROLE ada WITH PASSWORD '«Xk9{13}»'", `{"name": "DB_PASSWORD", "value": "«Xk9{13}»"}`, "- name: DB_PASSWORD\n  value: «Xk9{13}»",
		"apiVersion: v1\nkind: Secret\ndata:\n  a: «{24}»\n", "AccountName=x;AccountKey=«{86}==»;EndpointSuffix=x", "https://x.blob.test/c?sv=2022&sig=«{43}%3D»", "//registry.test/:_authToken=«{36}»", `Server=db;User Id=sa;Password=«Xk9{13}»;`,
		"machine x login ada\n\tpassword «correcthorsebattery»", "machine x\n  login ada\n  account a\n  password «Xk9{10}»\nmachine y", "machine x password «Xk9{10}» login ada ", "default login anonymous password «Xk9{10}»", `machine x\n  login ada\n  password «Xk9{10}»\n`,
		"tok: «{24}»", `tok = "«{24}»"`, `{"tok": "«{24}»"}`, "BOT_TOK=«{24}»", "pw: «hunter2»", "login ada, pw: «Xk9!{8}», host x", "the password: «Xk9!{8}» is old", "pw:«Xk9!{8}»", "pw = «Xk9{10}»", `{"pw": "«Xk9{10}»"}`,
		`Authorization: Digest username="ada", realm="r", nonce="«{32:hex}»", uri="/", response="x"`, `curl -H 'Authorization: Digest username="ada", realm="r", uri="/", cnonce="«{16:hex}»", nc=00000001, response="{32:hex}"'`, `Digest realm="r",qop=auth,opaque=«{32:hex}»`,
		"«120459876120459|{27}»", "access_token=«120459876120459|{27}»", "«EAA{40}»", `{"n":"{80}","d":"«{86}»","kty":"RSA"}`, `{\"kty\":\"oct\",\"k\":\"«{43}»\"}`,
		"-----BEGIN RSA PRIVATE" + " KEY-----\n«{64}\n{64}\n{64}»", `KEY="-----BEGIN PRIVATE` + ` KEY-----\n«{64}\n{64}\n{20}»\n-----END PRIVATE` + ` KEY-----\n"`, "+-----BEGIN PRIVATE" + " KEY-----\n+«{64}\n+{64}»\n+-----END PRIVATE" + " KEY-----",
	} {
		// One of two thousand random texts looks like words, and stays.
		if why := stays(t, filled(example)); why != "" && stays(t, filled(example)) != "" {
			t.Error(why)
		}
	}
}

// TestPutty: in a .ppk file, each line of the private key is redacted, and the MAC that
// lets attackers try passphrases. The public key stays.
func TestPutty(t *testing.T) {
	for _, example := range []struct{ version, mac, sep string }{{"2", "{40:hex}", "\n"}, {"3", "{64:hex}", "\r\n"}, {"3", "{64:hex}", "\n+"}, {"2", "{40:hex}", `\n`}, {"3", "{64:hex}", "\n   12→"}} {
		public, last := "{64}", "Private-MAC: [redacted:putty-key]"
		head := []string{"PuTTY-User-Key-File-" + example.version + ": ssh-rsa", "Encryption: none", "Comment: ada", "Public-Lines: 2", filled(public), filled(public)}
		text := strings.Join(append(head, "Private-Lines: 3", filled("{64}"), filled("{62}+/"), filled("{18}=="), "Private-MAC: "+filled(example.mac)), example.sep) + "\n"
		want := strings.Join(append(head, "Private-Lines: 3", "[redacted:putty-key]", last), example.sep) + "\n"
		if got := redactor().Redact(text, false); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
	text := "Private-Lines: 9\n" + filled("{64}\nPrivate-MAC: {64:hex}\n") // with missing lines
	if got, want := redactor().Redact(text, false), "Private-Lines: 9\n[redacted:putty-key]\nPrivate-MAC: [redacted:putty-key]\n"; got != want {
		t.Errorf("%q became %q", text, got)
	}
}

func pair() string { return base64.StdEncoding.EncodeToString([]byte("ada:" + chance(12, alnum))) }

// wantGone checks that no part of the secret remains, in a text and in strings of JSON.
func wantGone(t *testing.T, example string) {
	t.Helper()
	if why := stays(t, example); why != "" {
		t.Error(why)
	}
}

// stays returns the text in which an example's secret stays, empty if the secret is
// redacted.
func stays(t *testing.T, example string) string {
	t.Helper()
	text, secret := secretOf(example)
	if got := redactor().Redact(text, false); strings.Contains(got, secret) {
		return fmt.Sprintf("%q became %q", text, got)
	}
	value, err := json.Marshal(map[string]any{"command": "echo " + text, "list": []any{text}})
	if err != nil {
		t.Fatal(err)
	}
	got := redactor().Redact(string(value), true)
	inside, _ := json.Marshal(secret)
	if !json.Valid([]byte(got)) || strings.Contains(got, strings.Trim(string(inside), `"`)) {
		return fmt.Sprintf("%s became %s", value, got)
	}
	return ""
}

// TestParted: a secret is found even if split by other characters.
func TestParted(t *testing.T) {
	for _, between := range []string{"\\\n", "\\\n    ", "\" + \"", "' +\n    '", "\" .\n \"", "\u200b", "\ufeff", "\x1b[0m\x1b[32m", `\u200b`, `\u001b[1m`, "\"\n    \"", "\" \\\n  \""} {
		head, tail := "ghp_"+chance(16, alnum), chance(20, alnum)
		text := `TOKEN="` + head + between + tail + `"`
		got := redactor().Redact(text, false)
		if strings.Contains(got, head) || strings.Contains(got, tail) || !strings.HasPrefix(got, `TOKEN="[`) {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{"password%3D«Xk9{13}»%26x", "\x1b[32m«ghp_{36}»\x1b[0m"} {
		wantGone(t, filled(text))
	}
}

// TestEncoded: base64 of a text with a secret is redacted. Base64 of other text stays.
func TestEncoded(t *testing.T) {
	for _, code := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
		secret := code.EncodeToString([]byte("AWS_ACCESS_KEY_ID=AKIA" + chance(16, upper+"234567") + "\n"))
		for _, before := range []string{"", "echo ", "+", "data: ", `"`} {
			if got, want := redactor().Redact(before+secret+"\n", false), before+"[redacted:base64-secret]\n"; got != want {
				t.Errorf("%q became %q", before+secret, got)
			}
		}
		plain := code.EncodeToString([]byte("nothing to see here, only ordinary words"))
		if got := redactor().Redact(plain, false); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

// TestLeft: ordinary text of programs, documents and logs stays.
func TestLeft(t *testing.T) {
	for _, text := range []string{
		"token: string", "password: z.string().min(8)", "password?: string;", "const token = await getToken(user.id)", "apiKey: process.env.API_KEY", `api_key = os.environ["OPENAI_API_KEY"]`, "password := os.Getenv(\"DB_PASSWORD\")",
		"API_KEY=$API_KEY", "TOKEN=${TOKEN}", "TOKEN=$(cat /run/secrets/token)", "token: <your-token>", "token: your-token-here", "password: xxxxxxxxxxxx", "password: ********", "PASSWORD=changeme", "Password: password123", "--password-stdin", "--token <token>", "--token $TOKEN",
		"max_tokens=4096", `"token_count": 123456789012`, "tokenizer: cl100k_base", "password must be at least 8 characters", "the password is required", "Bearer token in the header", "Bearer <token>", "Authorization: Bearer ${token}", "Basic authentication", "basic usage of it",
		"postgres://user:password@localhost/db", "postgres://postgres:postgres@localhost:5432/db", "https://$USER:$PASS@host", "https://user:<pass>@host", "http://localhost:3000/@vite/client", "git@github.com:x/y.git", "ssh://git@github.com/x", "https://registry.npmjs.org/@types/node",
		"integrity sha512-" + chance(86, alnum) + "==", "golang.org/x/oauth2 v0.18.0 h1:" + chance(43, alnum) + "=", "key_id: " + chance(40, hex), "docker run -u 1000:1000 x", "cache_key=" + chance(40, hex), "public_key: " + chance(40, alnum), "PublicKeyToken=31bf3856ad364e35",
		"mysql -p shop", "--- PASS: TestFuzz/this2passes", "--- PASS: TestHelper.*", "PASS: very/nested/s/u/b1", "the token is invalid", "set key value", "secret sauce of the configuration", "pass: 12, fail: 3", "$(pwd):/workspace", "name:password:gid:users", "-----BEGIN PRIVATE" + " KEY-----\n...\n-----END PRIVATE" + " KEY-----", "-----BEGIN CERTIFICATE-----\n" + chance(64, alnum) + "\n-----END CERTIFICATE-----", "Cookie: theme=dark; lang=en-GB",
		"func (s *Store) Token(key string) (access Token, err error)", "if password == other.password {", "SECRET_NAME=my-app-secrets", "secretKeyRef:\n  name: db-credentials\n  key: password", "tokens used: 1234567", "nextPageToken=abc", "private_key_path: ~/.ssh/id_ed25519", "sk-learn and task-runner-configuration",
		"Private-Lines: 14", "Private-Lines: number-of-lines\nthat many lines of base64 data", "the default login password is required", "a machine learning login with password reset", `WWW-Authenticate: Digest realm="r", algorithm=MD5`, "Digest: sha-256=" + chance(43, alnum) + "=",
		"pw: string", "password: required, 8 characters", "{password:e.password,n:1}", "ada:password:1000:users", "tok: Token", "tok := lexer.Next()", "tok = p.next()", `{"kty":"RSA","n":"` + chance(86, alnum) + `","e":"AQAB"}`, "| 10| text |", "as-described-in-the-documentation-of-it", "claude-opus-4-5-20251101", "toolu_01" + chance(22, alnum), "call_" + chance(24, alnum), "msg_01" + chance(22, alnum), "req_011" + chance(21, alnum), "gpt-5.2-codex", "1.0.119", "rs_" + chance(50, hex), "fc_" + chance(50, hex), "ses_" + chance(26, alnum),
		"key0, 0123456789abcdef", "const key64 = 0x280416958f3acb45", "passwd generated_id=2026-01-27-" + chance(8, hex) + "-27a0-4475-a6ea-" + chance(12, hex),
	} {
		if got := redactor().Redact(text, false); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
