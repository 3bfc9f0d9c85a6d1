package fleet_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/push"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// planted maps the part of a secret that no pushed file may contain to a value with the
// secret.
func planted() map[string]string {
	key := "q7w8R5t1Z9p3M2k4" + "x6C5v8N1b3J7"
	pem := "-----BEGIN RSA PRIVATE" + " KEY-----\n" + strings.Repeat(key, 2)
	return map[string]string{
		"AKIA" + "Q3EGX7ZKV2M5NB4T":                                 "AKIA" + "Q3EGX7ZKV2M5NB4T",
		"ghp_" + key + "a9B8c7D6":                                   "ghp_" + key + "a9B8c7D6",
		"sk-" + "proj-" + key + key:                                 "sk-" + "proj-" + key + key,
		"eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + key: "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + key,
		strings.Repeat(key, 2):                                      pem,
		"Xk9-" + "plumTart":                                         "password=" + "Xk9-" + "plumTart",
	}
}

// TestSecretsInAllColumns: no secret leaves in any column, with texts or without. The
// test takes the columns from the tables.
func TestSecretsInAllColumns(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.0 s of processor time")
	t.Parallel()
	f := newFleet(t)
	for n, texts := range []string{landing.Redacted, landing.NoText}[:whole.Or(2, 1)] {
		p := f.machine(fmt.Sprint("m", n))
		p.Write("0.jsonl", talk("s0", "/w", 1, 1)...)
		s := p.open()
		_, err := s.Sync(context.Background(), engine.SyncOptions{})
		must(t, err)
		must(t, s.Close())
		p.Tamper(rowsOfSecrets(p.name)...)
		s = p.open()
		o := p.options()
		o.Texts = texts
		_, err = push.Run(context.Background(), s.Session, o)
		must(t, err)
		must(t, s.Close())
		all := f.values(p.name)
		for secret := range planted() {
			if at := strings.Index(all, secret); at >= 0 {
				t.Errorf("%s: %s left", texts, all[max(0, at-20):at+len(secret)])
			}
		}
		for _, name := range f.unmarked(p.name, texts) {
			t.Errorf("%s: %s has no redacted value: were its rows pushed?", texts, name)
		}
	}
}

// rowsOfSecrets returns statements that plant secrets in all text columns of all pushed
// tables.
func rowsOfSecrets(machine string) (list []string) {
	values := map[string]string{"BIGINT": "%d", "INTEGER": "%d", "DOUBLE": "%d", "BOOLEAN": "false", "INTEGER[]": "[%d]", "TIMESTAMPTZ": "TIMESTAMPTZ '2026-03-01 10:00:%02d+00'"}
	secrets := planted()
	for _, table := range slices.Concat(tables.Pushed(), tables.PushedInternal()) {
		if table.View != "" {
			continue
		}
		for n, key := range slices.Sorted(maps.Keys(secrets)) {
			secret := sqltext.Literal(secrets[key])
			var row []string
			for _, c := range table.Columns {
				value := map[string]string{"VARCHAR": secret, "JSON": "to_json(" + secret + "::VARCHAR)", "VARCHAR[]": "[" + secret + "]",
					tables.AnswersType: "[{'question': " + secret + ", 'options': [" + secret + "], 'picked': [" + secret + "], 'words': " + secret + "}]"}[c.Type]
				switch {
				case c.Name == "machine":
					value = sqltext.Literal(machine)
				case c.Name == "source_id" && table.Name != "sources":
					value = "(SELECT min(source_id) FROM sources)"
				case value == "":
					value = values[c.Type]
				}
				if strings.Contains(value, "%") && !strings.Contains(value, secret) {
					value = fmt.Sprintf(value, 50+n)
				}
				row = append(row, value)
			}
			list = append(list, fmt.Sprintf("INSERT INTO %s VALUES (%s)", table.Name, strings.Join(row, ", ")))
		}
	}
	return list
}

// unmarked returns the columns that may leave but contain no redacted value.
func (f *fleet) unmarked(machine, texts string) (names []string) {
	s := open(f.t, engine.Config{Store: filepath.Join(f.t.TempDir(), "x.duckdb"), Timezone: "UTC"})
	m := f.wantWhole(machine)
	for _, table := range slices.Concat(tables.Pushed(), tables.PushedInternal()) {
		var paths, list []string
		for _, file := range m.Files {
			if file.Table == table.Name {
				paths = append(paths, sqltext.Literal(filepath.Join(f.dir, filepath.FromSlash(landing.Root), machine, filepath.FromSlash(file.Path))))
			}
		}
		for _, c := range table.Columns {
			isText := c.Type == "VARCHAR" || c.Type == "JSON" || c.Type == "VARCHAR[]" || c.Type == tables.AnswersType
			if isText && c.Name != "machine" && (texts == landing.Redacted || table.IsTextFree(c)) {
				list = append(list, fmt.Sprintf("SELECT %s AS name, count(*) FILTER (contains(%s::VARCHAR, '[redacted:')) AS n FROM read_parquet([%s], union_by_name = true)",
					sqltext.Literal(table.Name+"."+c.Name), sqltext.Identifier(c.Name), strings.Join(paths, ", ")))
			}
		}
		if len(list) == 0 {
			continue
		}
		names = append(names, rows(f.t, s, "SELECT name FROM ("+strings.Join(list, " UNION ALL ")+") WHERE n = 0")...)
	}
	return names
}
