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
		"postgres://ada:${DB_PW1}@db/shop", "postgres://ada:$DB_PW1@db/shop", "postgres://ada:<db_pw1>@db/shop", "https://{user}:{pw_1}@host", `"https://ada:" + db_pw1 + "@host"`, "http://localhost:3000/a(b)/@vite/c8", `{"url":"https://a.test:x9","mail":"k3@b.test"}`, "git+ssh://host:org/repo9x/tree/main@v1.2",
	} {
		if got := redactor().Redact(text, false); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
