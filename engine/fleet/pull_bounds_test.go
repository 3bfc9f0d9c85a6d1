package fleet_test

import (
	varints "encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/pull"
	"hindsql/internal/posix"
	"hindsql/internal/whole"
)

// manifest edits a machine's manifest.
func (f *fleet) manifest(machine string, change func(*landing.Manifest)) {
	f.t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(landing.Root), machine, landing.ManifestName)
	text, err := os.ReadFile(path)
	must(f.t, err)
	m, err := landing.Parse(text)
	must(f.t, err)
	change(m)
	text, err = json.Marshal(m)
	must(f.t, err)
	must(f.t, os.WriteFile(path, text, 0o600))
}

// rowsOf sets the number of rows that the manifest gives for a table's files.
func (f *fleet) rowsOf(machine, table string, rows int64) {
	f.manifest(machine, func(m *landing.Manifest) {
		for i := range m.Files {
			if m.Files[i].Table == table && !m.Files[i].Beside {
				m.Files[i].Rows = rows
			}
		}
	})
}

// TestPullBounds: a file with more rows or text than the manifest or the bounds allow
// leaves the machine's old rows in place, even if the file's footer lies. Other
// machines' rows arrive.
func TestPullBounds(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	p, other, here := f.machine("m1"), f.machine("m2"), f.machine("m3")
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	other.Write("1.jsonl", talk("s1", "/w", 1, 3)...)
	p.push()
	other.push()
	full := f.files("m1")
	bounds := pull.DefaultBounds
	bounds.FileUnpacked = 1e6
	const (
		many = "SELECT t.* FROM {file} AS t, range(1000)"
		long = "SELECT * REPLACE (repeat('x', 3000000) AS text) FROM {file} LIMIT 1"
		same = "SELECT t.* REPLACE (repeat('x', 1000) AS text) FROM {file} AS t, range(1000)" // the text occurs once, in a dictionary
	)
	for name, hostile := range map[string]struct {
		change string
		rows   int64 // as in the manifest
		edit   func(*landing.Manifest)
		lie    bool
		want   string
	}{
		"more rows than said":         {change: many, rows: 3, want: "3000 rows, and the manifest says 3"},
		"fewer rows than said":        {rows: 4, want: "3 rows, and the manifest says 4"},
		"more rows than a pull takes": {rows: 3_000_000, want: "3000000 rows; a pull takes 2000000"},
		"an absurd number of rows":    {rows: 1 << 62, want: "4611686018427387904 rows; a pull takes 2000000"},
		"an absurd size":              {rows: 3, edit: func(m *landing.Manifest) { m.Files[0].Bytes = 1 << 62 }, want: "4611686018427387904 bytes; a pull takes 256000000"},
		"too many rows of all files": {rows: 3, edit: func(m *landing.Manifest) {
			for i := range m.Files {
				m.Files[i].Rows = 1_999_999
			}
			m.Files = append(m.Files, manyFiles(12)...)
		}, want: "its files: "},
		"a long text":            {change: long, rows: 1, want: "bytes unpacked; a pull takes 1000000"},
		"a long text, and a lie": {change: long, rows: 1, lie: true, want: "bytes unpacked; a pull takes 1000000"},
		"one text in many rows":  {change: same, rows: 3000, want: "bytes unpacked; a pull takes 1000000"},
	} {
		for file, text := range full {
			must(t, os.WriteFile(filepath.Join(f.dir, filepath.FromSlash(landing.Root), "m1", filepath.FromSlash(file)), []byte(text), 0o600))
		}
		if hostile.change != "" {
			f.forge("m1", "messages", hostile.change)
		}
		if hostile.lie {
			f.lie("m1", "messages", 3_000_000)
		}
		f.rowsOf("m1", "messages", hostile.rows)
		if hostile.edit != nil {
			f.manifest("m1", hostile.edit)
		}
		report, err := here.pullWithin(bounds)
		must(t, err)
		if m := report.Machines[0]; m.Err == nil || !strings.Contains(m.Err.Error(), hostile.want) || report.Machines[1].Err != nil {
			t.Errorf("%s: %v, want %q; %+v", name, m.Err, hostile.want, report)
		}
		if got := here.rows("SELECT machine, count(*) FROM messages GROUP BY machine"); !slices.Equal(got, []string{"m2|3"}) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// manyFiles returns n files of a manifest, with almost two million rows each.
func manyFiles(n int) (all []landing.File) {
	for i := range n {
		hash := strings.Repeat(string(rune('a'+i%6)), 8+i)
		all = append(all, landing.File{Path: landing.FileName("messages", false, landing.Undated, hash), Table: "messages", Day: landing.Undated,
			Rows: 1_999_999, Bytes: 1, Sum: strings.Repeat("0", 64)})
	}
	return all
}

// lie edits the footers of a machine's files of a table: each number near length
// becomes 1.
func (f *fleet) lie(machine, table string, length uint64) {
	f.t.Helper()
	f.manifest(machine, func(m *landing.Manifest) {
		for i := range m.Files {
			file := &m.Files[i]
			if file.Table != table || file.Beside {
				continue
			}
			path := filepath.Join(f.dir, filepath.FromSlash(landing.Root), machine, filepath.FromSlash(file.Path))
			text, err := os.ReadFile(path)
			must(f.t, err)
			footer := len(text) - 8 - int(varints.LittleEndian.Uint32(text[len(text)-8:]))
			// Thrift's compact numbers are zigzag, with seven bits in a byte. Four
			// bytes can also encode 1.
			lies := 0
			for at := footer; at < len(text)-8; at++ {
				n, size := varints.Uvarint(text[at:])
				if size == 4 && n/2 >= length && n/2 < length+100_000 {
					copy(text[at:], "\x82\x80\x80\x00")
					lies++
				}
			}
			if lies == 0 {
				f.t.Fatalf("%s: no length found to lie about", file.Path)
			}
			must(f.t, os.WriteFile(path, text, 0o600))
			file.Sum = sumOf(string(text))
		}
	})
}

// TestPullFollowsNoLinks: a pull doesn't follow links out of the landing. Such a link
// may replace a file, a table's folder, a machine's folder, or the manifest.
func TestPullFollowsNoLinks(t *testing.T) {
	posix.Links(t)
	whole.Test(t, "loads stores again and again, 1.9 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p, other, here := f.machine("m1"), f.machine("m2"), f.machine("m3")
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	other.Write("1.jsonl", talk("s1", "/w", 1, 3)...)
	p.push()
	other.push()
	names := []string{"messages", "manifest.json", "."}
	for file := range f.files("m1") {
		if strings.HasPrefix(file, "messages/") {
			names = append(names, file)
		}
	}
	for n, name := range names {
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		inside := filepath.Join(f.dir, filepath.FromSlash(landing.Root), "m1", filepath.FromSlash(name))
		must(t, os.Rename(inside, elsewhere))
		must(t, os.Symlink(elsewhere, inside))
		report := here.pull()
		for _, m := range report.Machines {
			if m.ID == "m1" && m.Err == nil || m.ID == "m2" && (m.Err != nil || (n == 0) != (m.Logs == 1)) {
				t.Errorf("%q: %+v", name, m)
			}
		}
		if got := here.rows("SELECT machine, count(*) FROM messages GROUP BY machine"); !slices.Equal(got, []string{"m2|3"}) {
			t.Errorf("%q: %v", name, got)
		}
		must(t, os.Remove(inside))
		must(t, os.Rename(elsewhere, inside))
	}
	if m := here.pull().Machines[0]; m.Err != nil || m.Logs != 1 {
		t.Errorf("without links: %+v", m)
	}
}

// TestPullUnbounded: Unbounded takes as many rows as the manifest names.
func TestPullUnbounded(t *testing.T) {
	whole.Test(t, "pulls again and again, 1 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p, here := f.machine("m1"), f.machine("m2")
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	p.push()
	for _, step := range []struct {
		bounds pull.Bounds
		failed bool
	}{
		{pull.Bounds{FileRows: 2, MachineRows: 100, FileBytes: 1e6, MachineBytes: 1e6, FileUnpacked: 1e6, MachineUnpacked: 1e6}, true},
		{pull.Bounds{FileRows: 10, MachineRows: 100, FileBytes: 1e6, MachineBytes: 1e6, FileUnpacked: 1e6, MachineUnpacked: 10}, true},
		{pull.Unbounded, false},
	} {
		report, err := here.pullWithin(step.bounds)
		if m := report.Machines[0]; (m.Err != nil) != step.failed || (err != nil) != step.failed {
			t.Errorf("%+v: %+v, %v", step, m, err)
		}
	}
}
