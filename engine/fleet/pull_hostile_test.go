package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// forge replaces the rows in the files of a machine's table, and updates the manifest.
// change is the SQL of the new rows, in which {file} is the old file.
func (f *fleet) forge(machine, table, change string) {
	f.t.Helper()
	root := filepath.Join(f.dir, filepath.FromSlash(landing.Root), machine)
	text, err := os.ReadFile(filepath.Join(root, landing.ManifestName))
	must(f.t, err)
	m, err := landing.Parse(text)
	must(f.t, err)
	s := open(f.t, engine.Config{Store: filepath.Join(f.t.TempDir(), "x.duckdb"), Timezone: "UTC"})
	defer s.Close()
	for i := range m.Files {
		file := &m.Files[i]
		if file.Table != table || file.Beside {
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(file.Path))
		must(f.t, s.Read(context.Background(), func(r *engine.Reading) error {
			from := strings.ReplaceAll(change, "{file}", "read_parquet("+sqltext.Literal(path)+")")
			return r.Exec(context.Background(), fmt.Sprintf("COPY (%s) TO %s (FORMAT parquet)", from, sqltext.Literal(path+".forged")))
		}))
		must(f.t, os.Rename(path+".forged", path))
		forged, err := os.ReadFile(path)
		must(f.t, err)
		file.Bytes, file.Sum = int64(len(forged)), sumOf(string(forged))
	}
	for i := range m.Logs {
		m.Logs[i].Fingerprint = change
	}
	text, err = json.Marshal(m)
	must(f.t, err)
	must(f.t, os.WriteFile(filepath.Join(root, landing.ManifestName), text, 0o600))
}

// TestPullOfForgedFiles: a machine's forged files never change this machine's rows or
// other machines' rows, and the store stays readable.
func TestPullOfForgedFiles(t *testing.T) {
	whole.Test(t, "pushes from three machines and pulls again and again, 2.4 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p, other, here := f.machine("m1"), f.machine("m2"), f.machine("m3")
	both := talk("both", "/work/both", 9, 5)
	for n, m := range []*pusher{p, other, here} {
		m.Write(fmt.Sprintf("%d.jsonl", n), talk(fmt.Sprint("s", n), "/w", 1, 3)...)
		m.Write("both.jsonl", both...)
	}
	here.push()
	const own = "SELECT count(*), sum(output_tokens), (SELECT sum(message_count) FROM sessions WHERE machine = 'm3') FROM messages WHERE machine = 'm3'"
	want := here.rows(own)
	p.push()
	other.push()
	sound := f.files("m1")
	for name, forged := range map[string]struct {
		table, change string
		refused       bool
	}{
		"no sources":    {"sources", "SELECT * FROM {file} WHERE false", true},
		"two of each":   {"sources", "FROM {file} UNION ALL FROM {file}", true},
		"no ids":        {"messages", "SELECT * EXCLUDE (source_id) FROM {file}", true},
		"nothing known": {"sources", "SELECT source_id FROM {file}", false},
		"no sums":       {"sources", "SELECT * REPLACE (9223372036854775807 AS messages) FROM {file}", false},
		"no types":      {"sessions", "SELECT * REPLACE ([1] AS session_id, [2] AS started_at) FROM {file}", false},
		"this machine":  {"sessions", "SELECT * REPLACE ('m3' AS machine, 'host-of-m3' AS host) FROM {file}", false},
	} {
		t.Run(name, func(t *testing.T) {
			for file, text := range sound {
				must(t, os.WriteFile(filepath.Join(f.dir, filepath.FromSlash(landing.Root), "m1", filepath.FromSlash(file)), []byte(text), 0o600))
			}
			f.forge("m1", forged.table, forged.change)
			report := here.pull()
			if (report.Machines[0].Err != nil) != forged.refused || report.Machines[1].Err != nil {
				t.Errorf("%s: %+v", name, report)
			}
			here.pull() // pull also syncs
			if got := here.rows(own); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
			if got := here.rows("SELECT count(*) FROM messages WHERE session_id = 's1'"); got[0] != "3" {
				t.Errorf("%s: %v messages of the other machine", name, got)
			}
		})
	}
}

// TestPullAfterUpgrade: rows pushed by a newer version are read again once this machine
// has that version, and not earlier.
func TestPullAfterUpgrade(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.2 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p, here := f.machine("m1"), f.machine("m2")
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	p.push()
	path := filepath.Join(f.dir, filepath.FromSlash(landing.Root), "m1", landing.ManifestName)
	text, err := os.ReadFile(path)
	must(t, err)
	for n, step := range []struct {
		schema string
		logs   int
	}{{"newer", 1}, {"newer", 0}, {tables.SchemaHash(), 1}, {"older", 0}, {tables.SchemaHash(), 0}} {
		must(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), tables.SchemaHash(), step.schema)), 0o600))
		if report := here.pull(); report.Machines[0].Logs != step.logs {
			t.Errorf("step %d: %+v", n, report)
		}
	}
}
