package redact_test

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
)

// instances is how many random instances each form of a secret is tried in.
const instances = 200

// staying returns the texts, of random instances of an example, in which a secret
// stays: in plain text, or in a string of JSON. The instances are the same in each run.
func staying(t *testing.T, example string, prepare func(string) string) (stay []string) {
	t.Helper()
	random := rand.New(rand.NewSource(59))
	for range instances {
		text, secrets := secretsOf(prepare(fill(random.Intn, example)))
		value, err := json.Marshal(map[string]string{"output": text})
		if err != nil {
			t.Fatal(err)
		}
		var inside map[string]string
		if err := json.Unmarshal([]byte(redactor().Redact(string(value), true)), &inside); err != nil {
			t.Fatal(err)
		}
		for _, got := range []string{redactor().Redact(text, false), inside["output"]} {
			if hasPart(got, secrets) {
				stay = append(stay, text+" became "+got)
				break
			}
		}
	}
	return stay
}

// secretsOf returns an example without the marks around its secrets, and the secrets.
func secretsOf(example string) (text string, secrets []string) {
	for _, part := range strings.Split(example, "«")[1:] {
		secret, _, _ := strings.Cut(part, "»")
		secrets = append(secrets, secret)
	}
	return strings.NewReplacer("«", "", "»", "").Replace(example), secrets
}

// hasPart reports whether a text has eight characters of a secret, or a whole shorter
// secret.
func hasPart(text string, secrets []string) bool {
	for _, s := range secrets {
		size := min(len(s), 8)
		for i := range len(s) - size + 1 {
			if strings.Contains(text, s[i:i+size]) {
				return true
			}
		}
	}
	return false
}

// TestPasswordForms: passwords with signs are found, wherever passwords stand. The last
// number is how many of 200 random passwords may stay: a shell puts a variable in place
// of $ and a name, and a bare value may look like a call.
func TestPasswordForms(t *testing.T) {
	for _, form := range []struct {
		example string
		most    int
	}{
		{"DB_PASSWORD='«{14:signs}»'", 0}, {"{\"user\": \"ada\", \"password\": \"«{14:signs}»\"}", 0}, {"password = \"«{14:signs}»\"\n", 0}, {"[db]\npassword = '«{14:signs}»'\n", 0},
		{"db:\n  password: «{1}{13:signs}»\n  user: ada\n", 0}, {"db:\n  password: '«{14:signs}»'\n", 0}, {"PGPASSWORD='«{14:signs}»' psql -h db", 0}, {"conn(password='«{14:signs}»', port=1)", 0},
		{"postgres://ada:«{14:signs}»@db/shop", 0}, {"URL=mysql://ada:«{14:signs}»@db.test:3306/shop?ssl=1\n", 0}, {"login --password='«{14:signs}»' ada", 0},
		{"DB_PASSWORD=\"«{14:signs}»\"", 6}, {"DB_PASSWORD=«{14:signs}»\n", 6}, {"export DB_PASSWORD=«{14:signs}» && run", 6}, {"PGPASSWORD=«{14:signs}» psql -h db", 6}, {"login --password=«{14:signs}» ada", 6}, {"login --password «{14:signs}» ada", 6},
		{"[db]\npassword = «{14:signs}»\n", 6}, {"Server=db;Password=«{14:signs}»;Encrypt=1", 6}, {"spring.datasource.password=«{14:signs}»\n", 6}, {"conn(password=\"«{14:signs}»\", port=1)", 6}, {"machine db login ada password «{14:signs}»", 6},
		{"curl -u 'ada:«{14:signs}»' https://db.test", 6}, {"sshpass -p '«{14:signs}»' ssh db", 6}, {"mysql -uroot -p'«{14:signs}»' shop", 6}, {"ALTER USER ada WITH PASSWORD '«{14:signs}»';", 6}, {"echo '«{14:signs}»' | sudo -S ls", 6},
	} {
		if stay := staying(t, form.example, strings.Clone); len(stay) > form.most {
			t.Errorf("%d of %d stay, want at most %d: %q", len(stay), instances, form.most, stay[:min(len(stay), 3)])
		}
	}
	for _, sign := range "!#$%&'()*+,-./:;<=>?@[]^_{|}~`\\\"" {
		if stay := staying(t, "postgres://ada:«{6}"+string(sign)+"{7}»@db/shop", strings.Clone); len(stay) > 1 { // that looks like words
			t.Errorf("%c: %d of %d passwords stay in a URL: %q", sign, len(stay), instances, stay[:min(len(stay), 3)])
		}
	}
}

// TestCodeStays: code, references and templates in place of a password stay.
func TestCodeStays(t *testing.T) {
	for _, text := range []string{
		"password = unquote(proxy_passwd)", "pwd = os.getcwd()", "pwd = C.getpwnam_r(name, buf, size, &f, &e)", "password: accumulate(state.Usage),", "password := []byte{0x00, 0x01}", "if password != hash[i%4] {",
		`"password": "{{.Values.db_pw1}}"`, `"password": "${DB_PW_2}"`, "password: $DB_PW1\n", "password: '%(db_pw1)s'", `DB_PASSWORD="$DB_PW1-$(id)"`, "DB_PASSWORD=${PW2:?empty}", "PASSWORD=%DB_PW1%", `cmd.Env = append(os.Environ(), "PWD="+tc.pwd)`, "password: '<db_pw_1>'", "password = '[REDACTED]'",
		"http://user^:passwo^rd@foo.test/", "http://jane:p@ssword@foo.test", "http://jane:p@$$w0rd@foo.test", "postgres://ada:${DB_PW1}@db/shop", "postgres://ada:$DB_PW1@db/shop", "postgres://ada:<db_pw1>@db/shop", "https://{user}:{pw_1}@host", `"https://ada:" + db_pw1 + "@host"`, "http://localhost:3000/a(b)/@vite/c8", `{"url":"https://a.test:x9","mail":"k3@b.test"}`, "git+ssh://host:org/repo9x/tree/main@v1.2",
	} {
		if got := redactor().Redact(text, false); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestForms: forms of keys are found whole in each random instance, or in all but one that
// looks like words.
func TestForms(t *testing.T) {
	ghs := "ey{36}.ey{120}.{86:url}"
	jwe := "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ"
	ant := "sk-ant-api03-{93:url}AA"
	for _, example := range []string{
		"«ghs_" + ghs + "»", "gh: «ghs_{8:digits}_" + ghs + "» is new", "«ghs_{8}_" + ghs + "»", "https://x.test/c?sv=2022&sig=«{43}%3D»", "GITHUB_TOKEN=«ghs_{8:digits}_" + ghs + "»\n", "https://x-access-token:«ghs_" + ghs + "»@github.com/ada/shop",
		"«xoxc-{12:digits}-{12:digits}-{64:hex}»", "a «xoxd-{60}%2B{60}%3D» b", "«sk-kimi-{64}»", "login sk-kimi-«{64}»", "«AGE-SECRET-KEY-PQ-1{58:upper}»", "FAL_KEY=«{8:hex}-{4:hex}-{4:hex}-{4:hex}-{12:hex}:{32:hex}»", "«rt_{90:url}»", "is «rt.1.{90:url}» it",
		"ada:«pbkdf2_sha256$600000${22}${43:base64}=»", "«pbkdf2:sha256:600000${16}${64:hex}»", "«scrypt:32768:8:1${16}${128:hex}»", "«SCRAM-SHA-256$4096:{22:base64}==${43:base64}=:{43:base64}=»", "{SSHA512}«{100:base64}»", "{PBKDF2-SHA512}«10000${22}${86}»", "sha1$«{12}${40:hex}»", "«$P$B{30}»", "$bcrypt-sha256$«v=2,t=2b,r=12${22}${31}»",
		"«" + jwe + ".{342:url}.{16:url}.{80:url}.{22:url}»", "«eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..{16:url}.{80:url}.{22:url}»",
		"FROM scratch\nENV DB_PASSWORD «Xk9{10}»\nENV API_TOKEN «{40}»\n", "set -x DB_PASSWORD «Xk9{10}»", "set -gx API_TOKEN '«{32}»'", "set --export --global DB_PASSWORD \"«Xk9{10}»\"", "+ DB_PASSWORD=«Xk9{10}»\n+ psql\n", "++ export 'DB_PASSWORD=«Xk9{10}»'\n", "setx DB_PASSWORD «Xk9{10}» /M",
		"network={\n  ssid=\"home\"\n  psk=\"«Xk9{10}»\"\n}", "psk=«{64:hex}»", "kubectl create secret generic db --from-literal=conf=«Xk9{10}» --from-literal='url=x'", "--from-literal='conf=«Xk9{10}»'",
		"env DB_PASSWORD «Xk9{10}»", "| name | value |\n|---|---|\n| DB_PASSWORD | «Xk9!{10}» |\n", "| `DB_PASSWORD` | `«Xk9!{10}»` |", " password | «Xk9!{10}»\n", "│ password │ «Xk9!{10}» │", "**Password:** «Xk9!{10}»\n", "- **DB password**: `«Xk9!{10}»`\n", "+ mysql -u root '-p«Xk9{10}»' shop",
		"wifi.psk:            «{64:hex}»\n", "password            = \"«Xk9!{10}»\"\nuser                = \"ada\"\n",
		"/home/ada/«" + ant + "».txt", "cat keys/«" + ant + "»/a", "/x/«ghp_{36}».json", "/srv/«glpat-{20}»/",
		"{\n  \"apiVersion\": \"v1\",\n  \"data\": {\n    \"conf\": \"«{22}»==\",\n    \"tls.key\": \"«{64}»\"\n  },\n  \"kind\": \"Secret\"\n}", `{"apiVersion":"v1","data":{"conf":"«{22}»=="},"kind":"Secret","metadata":{"name":"x"}}`,
		`"{\"apiVersion\":\"v1\",\"data\":{\"conf\":\"«{24}»\"},\"kind\":\"Secret\"}"`, "data:\n  conf: «{24}»\nkind: Secret\n",
	} {
		if stay := staying(t, example, strings.Clone); len(stay) > 1 {
			t.Errorf("%s: %d of %d stay: %q", example, len(stay), instances, stay[:min(len(stay), 3)])
		}
	}
}

// TestNoForms: texts like the forms, without a secret, stay.
func TestNoForms(t *testing.T) {
	for _, example := range []string{
		"ghs_your_token.of_the.app", "xoxc-your-token-goes-here-please", "xoxd-your%2Btoken%2Bgoes%2Bhere", "sk-kimi-your-own-key-goes-right-here", "AGE-SECRET-KEY-PQ-1XXXXXXXXXXXXXXXXXXXXXXXXX", "fal.ai/models/{8:hex}-{4:hex}-{4:hex}-{4:hex}-{12:hex}", "part_of_{60:letters}", "rt.1.2 and rt_test",
		"pbkdf2_sha256 and pbkdf2_hmac('sha256', password, salt, 100000)", "scrypt:32768:8:1", "SCRAM-SHA-256", "md5$ and sha1$", "eyJhbGciOiJkaXIifQ....", "ENV PATH /usr/local/bin:$PATH", "ENV PASSWORD_FILE /run/secrets/db", "set -x\npsql", "pwd | md5sum", "new_password | sha256sum -", "| password | string | required |", "| --password | the user's own | none |", "**Password:** see below", "set -e secrets", "setx PATH %PATH%", "psk=yes", "--from-literal=mode=production",
		`{"apiVersion":"v1","data":{"conf":"{24}"},"kind":"ConfigMap"},{"kind":"Secret","metadata":{"name":"x"}}`, "/usr/lib/re_exported_names_of_the_whole/a.go", "https://x.test/sk-learn-documentation-of-everything/a", "/srv/pa-{8}/index.html",
	} {
		if text := fill(rand.Intn, example); redactor().Redact(text, false) != text {
			t.Errorf("%q became %q", text, redactor().Redact(text, false))
		}
	}
}
