//go:build linux

package platforms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tables lists the tables, copies included, by their names in SQL.
const tables = `SELECT DISTINCT schema_name || '.' || view_name AS name FROM duckdb_views()
	WHERE schema_name IN ('hindsql_session', 'with_copies') ORDER BY name`

// ownColumns differ between two machines, whatever the platform: the machine's id, the
// time of a load, and the id of a log, a hash of machine and path. A log's id is
// compared as the log's path, also in the id of a session that two logs have.
var ownColumns = []string{"machine", "loaded_at", "source_id"}

// content is the content of a table in a form that is equal on all platforms.
type content struct {
	rows   []string       // sorted; each has the columns in alphabetical order
	agents map[string]int // rows by agent
}

// contents reads tables and the logs' paths, in one run of the program. args choose the
// store and the like, owner has the logs.
func (u *user) contents(t *testing.T, owner *user, names []string, args ...string) (map[string]*content, map[string]int) {
	t.Helper()
	script := "SELECT source_id::VARCHAR AS log, path || coalesce('#' || part, '') AS path FROM sources;\n"
	for _, name := range names {
		script += fmt.Sprintf("SELECT '%s' AS next_table; FROM %s;\n", name, name)
	}
	file := filepath.Join(u.home, "all.sql")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	all, logs, renamed := map[string]*content{}, map[string]string{}, map[string]int{}
	var c *content
	for line := range strings.Lines(u.run(t, append(slices.Clone(args), "--no-sync", "--format", "ndjson", "-f", u.path(file))...)) {
		row := map[string]any{}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&row); err != nil {
			t.Fatalf("%s: %v in %.300s", u.name, err, line)
		}
		if name, ok := row["next_table"].(string); ok {
			c = &content{agents: map[string]int{}}
			all[name] = c
		} else if c == nil {
			logs[fmt.Sprint(row["log"])] = owner.common(fmt.Sprint(row["path"]))
		} else {
			c.add(encode(t, owner.plain(row, logs, renamed)), row["agent"])
		}
	}
	for _, c := range all {
		slices.Sort(c.rows)
	}
	return all, renamed
}

func (c *content) add(row string, agent any) {
	c.rows = append(c.rows, row)
	if name, ok := agent.(string); ok {
		c.agents[name]++
	}
}

// plain rewrites a row's values so that they are equal on all platforms, and counts
// rewritten paths by column.
func (u *user) plain(row map[string]any, logs map[string]string, renamed map[string]int) map[string]any {
	log, hasLog := row["source_id"]
	for _, name := range append(u.leftOut, ownColumns...) {
		delete(row, name)
	}
	for name, value := range row {
		text, ok := value.(string)
		if !ok {
			continue
		}
		common := u.common(text)
		if id, hash, ok := strings.Cut(text, "@"); ok && strings.HasSuffix(name, "session_id") {
			if n, err := strconv.ParseInt(hash, 16, 64); err == nil {
				common = id + "@" + logs[strconv.FormatInt(n, 10)]
			}
		}
		if common != text {
			row[name] = common
			renamed[name]++
		}
	}
	if hasLog && log != nil {
		row["source_id"] = logs[fmt.Sprint(log)]
	}
	return row
}

// common returns the form of a text that both platforms share: paths below the home
// folder begin with ~ and have slashes. Other texts stay as they are.
func (u *user) common(text string) string {
	inside, ok := strings.CutPrefix(text, u.path(u.home))
	if !ok {
		return text
	}
	if u.isWindows() {
		inside = strings.ReplaceAll(inside, `\`, "/")
		inside = strings.Replace(inside, "/AppData/Roaming/", "/.config/", 1)
		inside = strings.Replace(inside, "/AppData/Local/", "/.cache/", 1)
	}
	return "~" + inside
}

func encode(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// names asks for the tables.
func (u *user) names(t *testing.T, args ...string) []string {
	t.Helper()
	out := u.run(t, append(slices.Clone(args), "--no-sync", "--format", "csv", tables)...)
	names := strings.Fields(out)[1:]
	if len(names) < 15 {
		t.Fatalf("%s: tables %q", u.name, names)
	}
	return names
}

// checkEqual compares all tables of two users row by row, and logs the numbers of rows.
// args go to both.
func checkEqual(t *testing.T, here, there *user, args ...string) {
	t.Helper()
	names, got := here.names(t, args...), there.names(t, args...)
	if !slices.Equal(names, got) {
		t.Errorf("%s has the tables %q, %s %q", there.name, got, here.name, names)
	}
	ours, _ := here.contents(t, here, names, args...)
	theirs, renamed := there.contents(t, there, names, args...)
	total := compare(t, 100, names, ours, theirs)
	for _, table := range names {
		t.Logf("%-32s %6d rows, by agent %v", table, len(theirs[table].rows), theirs[table].agents)
	}
	t.Logf("%d rows compared. Columns with paths rewritten: %v; left out: %v", total, renamed, ownColumns)
}

// compare compares tables, and returns the number of rows, which has to be least or more.
func compare(t *testing.T, least int, names []string, want, got map[string]*content) (total int) {
	t.Helper()
	for _, table := range names {
		a, b := want[table], got[table]
		if a == nil || b == nil {
			t.Errorf("%s: not read", table)
			continue
		}
		if !maps.Equal(a.agents, b.agents) {
			t.Errorf("%s: by agent %v, want %v", table, b.agents, a.agents)
		}
		if !slices.Equal(a.rows, b.rows) {
			t.Errorf("%s: %s", table, difference(a.rows, b.rows))
		}
		total += len(b.rows)
	}
	if total < least {
		t.Errorf("only %d rows, want %d", total, least)
	}
	return total
}

// difference describes the first rows that only one of two sorted lists has.
func difference(want, got []string) string {
	only := func(a, b []string) (list []string) {
		for _, row := range a {
			if _, ok := slices.BinarySearch(b, row); !ok {
				list = append(list, row)
			}
		}
		return list
	}
	missing, extra := only(want, got), only(got, want)
	text := fmt.Sprintf("%d rows, want %d; %d missing, %d others", len(got), len(want), len(missing), len(extra))
	for i := range min(3, max(len(missing), len(extra))) {
		text += fmt.Sprintf("\n%.2000s\nwant %.2000s", strings.Join(extra[min(i, len(extra)):min(i+1, len(extra))], ""), strings.Join(missing[min(i, len(missing)):min(i+1, len(missing))], ""))
	}
	return text
}
