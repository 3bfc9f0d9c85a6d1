package main

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/printable"
	"hindsql/internal/whole"
)

// asking is a question: SQL, or a saved query with parameter values.
type asking struct {
	what, sql, name string
	given           []string
	twin            string // name of a saved query with the same SQL; empty if none
	alike           bool   // left out of a quick run, which has a similar question
	safely          string // the error at faces that run SQL safely; empty if the same
}

// allKinds is SQL whose first row has a value of every kind that a face may write in
// its own way. Its second row is mostly empty.
const allKinds = `SELECT 2817 AS small, 1234::BIGINT AS calls, -1234567::BIGINT AS change, 9007199254740993::BIGINT AS above, 170141183460469231731687303715884105727::HUGEINT AS huge,
  1234.5678::DOUBLE AS mean, 0.000412345::DOUBLE AS part, 188::DOUBLE AS whole, 82.6::DECIMAL(10,2) AS percent, 12345.678::DECIMAL(12,3) AS exact,
  12345678901234567890.125::DECIMAL(38,3) AS long, 2026::BIGINT AS year, 4711::BIGINT AS message_index,
  90500::BIGINT AS waited_ms, 7500.0::DOUBLE AS median_seconds, -90::BIGINT AS left_minutes, INTERVAL '3 days 02:05:00' AS took,
  TIMESTAMP '2026-10-12 15:04:05.25' AS at, TIMESTAMPTZ '2026-10-12 15:04:05+00' AS zoned, DATE '2026-10-12' AS day, TIME '15:04:05' AS clock,
  true AS yes, [1234, NULL, 3] AS list, ['a b', 'it''s'] AS texts, {'a': 1234, 'b': 'x'} AS pair, MAP {'k': 1234} AS named, '{"b": 1, "a": [1.10]}'::JSON AS json,
  'two' || chr(10) || 'lines' || chr(9) || 'tab' AS lines, 'red' || chr(27) || '[31m' || chr(8238) AS control, 'it''s "so" <b>&amp;</b> a*b_c' AS marks, '' AS nothing, NULL::VARCHAR AS unknown
UNION ALL SELECT 0, NULL, 0, 999, NULL, -0.5::DOUBLE, 0, NULL, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, INTERVAL '0 days', NULL, NULL, NULL, NULL, false, [], NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'x', 'NULL'`

var asked = []asking{
	{what: "all kinds of values", sql: allKinds, twin: "all-kinds"},
	{what: "all kinds of values, saved", name: "all-kinds"},
	{what: "rows of a table", alike: true, sql: "SELECT agent, tool_name, count(*) AS calls, max(timestamp) AS latest FROM tool_calls GROUP BY ALL ORDER BY ALL LIMIT 12", twin: "by-tool"},
	{what: "no rows", sql: "SELECT agent, tool_name FROM tool_calls WHERE agent = 'nobody'"},
	{what: "a saved query", alike: true, name: "tool-mix"},
	{what: "its name in another case", name: "Tool-Mix"},
	{what: "values of parameters", alike: true, name: "tool-mix", given: []string{"agent=CLAUDE", "min=2"}},
	{what: "hidden columns and a card", name: "rejections"},
	{what: "a limit that cuts", name: "rejections", given: []string{"top=2"}},
	{what: "a value that nothing matches", name: "rejections", given: []string{"tool=Bsh"}},
	{what: "outside of all there is", name: "rejections", given: []string{"since=2026-11-01"}},
	{what: "a name that no query has", name: "tool-mx"},
	{what: "a name like nothing", alike: true, name: "xyzzyx"},
	{what: "no such value", name: "rejections", given: []string{"decided_by=nobodyy"}},
	{what: "no such moment", alike: true, name: "rejections", given: []string{"since=yesterdayy"}},
	{what: "no such parameter", alike: true, name: "rejections", given: []string{"tol=Bash"}},
	{what: "a wrong column", sql: "SELECT tool_nam FROM tool_calls"},
	{what: "a wrong table", alike: true, sql: "FROM tool_call"},
	{what: "a table like none", sql: "FROM elsewhere", safely: `"elsewhere": no table that is here; SHOW ALL TABLES lists them; files are not read`}, // elsewhere could be a file
	{what: "a conversion that fails", alike: true, sql: "SELECT 'many'::INTEGER"},
}

// others are the faces besides the command line.
var others = map[string]func(*faces, asking) heard{
	"-f": (*faces).fromFile, "prompt": (*faces).atPrompt, "mcp": (*faces).asAgent, "page": (*faces).onPage, "report": (*faces).inReport,
}

// TestSixFaces: every face answers each question with the same rows, notices and error,
// and writes values the same way.
func TestSixFaces(t *testing.T) {
	t.Parallel()
	saved := map[string]string{}
	for _, q := range asked {
		if q.twin != "" {
			saved[q.twin] = "-- " + q.twin + ": " + q.what + "\n--\n-- For a test.\n" + q.sql + "\n"
		}
	}
	f := newFaces(t, saved, func(args ...string) (environment, *strings.Builder, *strings.Builder) { return onSample(t, args...) })
	for i, q := range asked {
		t.Run(q.what, func(t *testing.T) {
			if q.alike {
				whole.Test(t, "a question like a quick one")
			}
			whole.Most(t, i, 6, "asks each question at each face")
			f := f.of(t)
			want := f.onCommandLine(q)
			if q.safely == "" && want.failure == "" && want.shown[0].heads == nil {
				t.Fatalf("no answer: %+v", want)
			}
			for face, ask := range others {
				t.Run(face, func(t *testing.T) {
					c := comparison{f.of(t), face, q, want}
					c.same(ask(c.faces, q))
				})
			}
		})
	}
}

// comparison compares a face's answer with the command line's.
type comparison struct {
	*faces
	face string
	asking
	want heard
}

func (c *comparison) same(got heard) {
	want := c.plain(c.want.failure)
	if c.safely != "" && (c.face == "mcp" || c.face == "page") {
		want = c.plain(c.safely)
	}
	if failure := c.plain(got.failure); failure != want {
		c.Errorf("error %q, want %q", failure, want)
	}
	if want != "" || c.Failed() {
		return
	}
	c.sameNotices(got)
	c.sameRows(got.rows)
	for _, g := range got.shown {
		c.sameCells(g, c.spelt())
	}
}

// Parts of an error that differ between faces: the proposed next step, and the form of
// a value. A page shows the place in the SQL below the message, and a value's error
// beside its field.
var (
	proposed  = regexp.MustCompile(`(hindsql queries|\.queries|/queries|describe|SHOW ALL TABLES) lists them[.;]?`)
	asGivenAs = regexp.MustCompile(`^[a-z_]+=\S+: `)
)

func (c *comparison) plain(failure string) string {
	failure = asGivenAs.ReplaceAllString(proposed.ReplaceAllString(failure, "…"), "")
	if failure == "" {
		return ""
	}
	lines := strings.Split(strings.ToLower(failure[:1])+failure[1:], "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sameNotices compares the face's notices with the command line's. A report has all
// notices in one paragraph, together with the time that the rows cover. In a report, an
// empty period is no notice: the head shows the period, and the section says that it is
// empty.
func (c *comparison) sameNotices(got heard) {
	want := slices.Clone(c.want.notices)
	if c.want.count != "" && got.count != c.want.count {
		want = append(want, c.want.count)
	}
	if c.face == "report" && c.what == "outside of all there is" {
		want = nil
	}
	clause := func(s string) string { return strings.ToLower(strings.TrimSuffix(s, ".")) }
	said := clause(strings.Join(got.notices, "\n"))
	for _, n := range want {
		if !strings.Contains(said, clause(n)) {
			c.Errorf("no %q among the notices %q", n, got.notices)
		}
	}
	if c.face != "report" && len(got.notices) != len(want) {
		c.Errorf("notices %q, want %q", got.notices, want)
	}
}

// sameRows compares the rows for programs. The MCP server returns only the columns that
// a terminal shows. It returns nested values as texts, as reports do, because a report
// replaces secrets in texts only.
func (c *comparison) sameRows(got records) {
	if len(c.want.rows.values) != len(got.values) {
		c.Fatalf("%d rows, want %d", len(got.values), len(c.want.rows.values))
	}
	if len(got.values) == 0 {
		return // JSON without rows has no columns
	}
	columns := c.want.rows.columns
	if c.face == "mcp" {
		columns = columns[:len(c.want.shown[0].heads)]
	}
	if !slices.Equal(columns, got.columns) {
		c.Fatalf("columns %q, want %q", got.columns, columns)
	}
	for r, row := range got.values {
		for i, v := range row {
			want := c.want.rows.values[r][i]
			if v == want || unquoted(v) == unquoted(want) && v[0] == want[0] || number(v) != nil && number(want) != nil && number(v).Cmp(number(want)) == 0 {
				continue
			}
			isHeld := c.face == "mcp" || c.face == "report"
			switch text := unquoted(v); {
			case isHeld && json.Valid([]byte(text)) && compact([]json.RawMessage{json.RawMessage(text)})[0] == want: // JSON
			case isHeld && strings.ContainsAny(want[:1], "[{") && text == c.want.shown[0].cells[r][i]: // a list, a struct
			case c.face == "mcp" && (text == want || text == printable.Text(unquoted(want))): // a number that clients misread; control characters
			default:
				c.Errorf("%s: %s, want %s", got.columns[i], v, want)
			}
		}
	}
}

// number returns the number in a JSON text; nil for other values.
func number(text string) *big.Rat {
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return n
}

// unquoted returns a JSON text without quotes, as people read it.
func unquoted(v string) string {
	var text string
	if json.Unmarshal([]byte(v), &text) != nil {
		return v
	}
	return parts([]string{text})[0]
}

// spelt returns the table that a face should show. Typed SQL is shown exactly, saved
// queries and reports in words for people. The MCP server writes values as for
// programs.
func (c *comparison) spelt() grid {
	switch {
	case c.face == "report" && c.twin != "":
		return c.onCommandLine(asking{name: c.twin}).shown[0]
	case c.face != "mcp":
		return c.want.shown[0]
	}
	machine := grid{heads: c.want.rows.columns[:min(len(c.want.rows.columns), len(c.want.shown[0].heads))]}
	for r, row := range c.want.rows.values {
		var cells []string
		for i := range machine.heads {
			switch v := row[i]; {
			case v == "null":
				cells = append(cells, "")
			case strings.ContainsAny(v[:1], "[{"):
				cells = append(cells, c.want.shown[0].cells[r][i])
			default:
				cells = append(cells, printable.Text(unquoted(v)))
			}
		}
		machine.cells = append(machine.cells, cells)
	}
	return machine
}

// sameCells compares the cells of tables for people. Pages and reports also show the
// columns that a terminal hides. Reports leave out empty columns, and show NULL as an
// empty cell. The prompt shortens session ids. Pages keep line ends.
func (c *comparison) sameCells(got, want grid) {
	if len(got.cells) != len(want.cells) {
		c.Errorf("%s: %d rows, want %d", got.of, len(got.cells), len(want.cells))
		return
	}
	for i, head := range want.heads {
		at := slices.IndexFunc(got.heads, func(h string) bool { return strings.ReplaceAll(h, "_", " ") == strings.ReplaceAll(head, "_", " ") })
		for r, row := range want.cells {
			cell, shown := row[i], ""
			if at >= 0 {
				shown = got.cells[r][at]
			}
			isNull := c.want.rows.values[r][i] == "null" && shown == "" && c.face != "prompt" && c.face != "-f"
			isShort := c.face == "prompt" && head == "session" && strings.HasSuffix(cell, shown[max(0, strings.LastIndex(shown, ":")):])
			inLine := strings.Join(strings.Fields(shown), " ") == strings.Join(strings.Fields(cell), " ") // a terminal shows a text on one line
			if cell != shown && !isNull && !isShort && !inLine {
				c.Errorf("%s: %s: %q, want %q", got.of, head, shown, cell)
			}
		}
		if at < 0 && len(want.cells) > 0 && c.face != "report" {
			c.Errorf("%s: no column %s among %q", got.of, head, got.heads)
		}
	}
}
