package report_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/queries"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
	"hindsql/queries/report"
)

func saved(t *testing.T) []*queries.Query {
	t.Helper()
	q, err := queries.Parse("q", "-- q: title\n--\n-- Help.\n--\n-- param since TIMESTAMPTZ = NULL   from\n-- param top INTEGER = 5   rows\nSELECT $since, $top")
	if err != nil {
		t.Fatal(err)
	}
	return []*queries.Query{q}
}

func TestParse(t *testing.T) {
	r, err := report.Parse("mine", `title = "Mine"
text = "Text."
period = "4w"
schedule = "weekly mon 08:00"
keep = 3
notify = "mail me"
alert = "SELECT 1 WHERE now() > $since"
[[section]]
title = "One"
query = "q"
params = { top = 7 }
[[section]]
title = "Two"
sql = "SELECT $a, $b, $until"
params = { a = 1.5, b = "x" }
period = "8w"
show = "line"
`, saved(t))
	if err != nil {
		t.Fatal(err)
	}
	got := []any{r.Name, r.Title, r.Text, r.Period, r.Schedule, r.Keep, r.Notify, r.Alert, len(r.Sections)}
	want := []any{"mine", "Mine", "Text.", queries.Span("4w"), "weekly mon 08:00", 3, "mail me", "SELECT 1 WHERE now() > $since", 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	one, two := r.Sections[0], r.Sections[1]
	if one.Show != report.Table || one.Params["top"] != "7" || one.Query.Name != "q" {
		t.Errorf("first section: %+v", one)
	}
	if sql := two.Query.TypedSQL(); two.Period != "8w" || sql != "SELECT CAST($a AS DOUBLE), CAST($b AS VARCHAR), CAST($until AS TIMESTAMPTZ)" {
		t.Errorf("second section: %+v, %s", two, sql)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "title = \"T\"\n[[section]]\ntitle = \"a\"\nsql = \"SELECT 1\"\n[[section]]\ntitle = \"b\"\n" // 6 lines
	for _, test := range []struct{ name, text, want string }{
		{"syntax", "title = \"T\"\nperiod = 7d", "2: "},
		{"type", "title = 3", "1: "},
		{"unknown key", "title = \"T\"\nperiods = \"7d\"\n[[section]]\ntitle = \"a\"\nsql = \"SELECT 1\"",
			`2: unknown key "periods"; the keys are title, text, period, schedule, keep, notify, alert, redact, time_limit, section`},
		{"unknown key of a section", head + "sql = \"SELECT 1\"\nplot = \"bar\"",
			`8: unknown key "plot"; the keys of a section are title, text, query, sql, params, show, chart, columns, better, cards, around, period, empty, optional`},
		{"no title", "[[section]]\ntitle = \"a\"\nsql = \"SELECT 1\"", "1: no title"},
		{"no section", "title = \"T\"", "1: no [[section]]"},
		{"period", "title = \"T\"\nperiod = \"a week\"\n" + head[12:] + "sql = \"SELECT 1\"",
			`2: period: "a week" is no length of time; write 90m, 12h, 7d, 4w or 1month`},
		{"keep", "title = \"T\"\nkeep = -1\n" + head[12:] + "sql = \"SELECT 1\"", "2: keep is the number of files, 0 for all"},
		{"time limit", "title = \"T\"\ntime_limit = \"0s\"\n" + head[12:] + "sql = \"SELECT 1\"", `2: time_limit: "0s" is no length of time; write it as 90s, 10m or 1h30m`},
		{"alert", "title = \"T\"\nalert = \"SELECT $x\"\n" + head[12:] + "sql = \"SELECT 1\"",
			"2: alert: $x is unknown; it may name $since and $until"},
		{"neither", head + "text = \"x\"", `5: the section "b" needs either query, the name of a saved one, or sql`},
		{"both", head + "sql = \"SELECT 1\"\nquery = \"q\"", `8: the section "b" needs either query, the name of a saved one, or sql`},
		{"no such query", head + "query = \"nix\"", `7: no query "nix"; hindsql queries lists them`},
		{"no such parameter", head + "query = \"q\"\nparams = { agent = \"x\" }", `8: q has no parameter "agent"; q takes since, top`},
		{"no value", head + "sql = \"SELECT $a\"", "7: parameter $a has no value; add params = { a = … }"},
		{"not used", head + "sql = \"SELECT 1\"\nparams = { a = 1 }", "8: parameter a is not used; the SQL has no $a"},
		{"without a name", head + "sql = \"SELECT ?\"", "7: a parameter without a name; write $name and give it in params"},
		{"list", head + "sql = \"SELECT $a\"\nparams = { a = [1] }", "8: params: a: a value is a text, a number, true, false or a time, not []interface {}"},
		{"since", head + "query = \"q\"\nparams = { since = \"7d\" }", `8: since comes from the report's period; a section may have its own: period = "30d"`},
		{"show", head + "sql = \"SELECT 1\"\nshow = \"pie\"", `8: show = "pie"; it is one of table, chart, bar, line, heatmap, number`},
		{"chart", head + "sql = \"SELECT 1\"\nchart = \"bar label=x\"", "8: chart: no value=COLUMN, the number that is drawn"},
		{"a histogram", head + "sql = \"SELECT 1\"\nshow = \"hist\"", `8: show = "hist"; write chart = "bar value=COLUMN ranges=1,10,100", with the ends of ranges of your own`},
		{"show and chart", head + "sql = \"SELECT 1\"\nchart = \"line label=t value=x\"\nshow = \"bar\"", `9: show = "bar", and the chart is a line; leave out show`},
		{"cards", head + "sql = \"SELECT 1\"\nshow = \"diff\"\ncards = { dif = \"x\" }", `9: cards: "dif" is no part of a card; the parts are diff, command, file, said`},
		{"no cards", head + "sql = \"SELECT 1\"\nshow = \"diff\"", `8: show = "diff" needs to know a column: cards = { diff = "proposed_diff" }, or command`},
		{"around", head + "sql = \"SELECT 1\"\naround = 2", `8: around is of a section with show = "session"`},
		{"around nothing", head + "sql = \"SELECT 1\"\nshow = \"session\"\naround = -1", `9: around is a number of messages, 0 or more`},
		{"better", head + "sql = \"SELECT 1\"\nshow = \"number\"\nbetter = { x = \"fewer\" }", `9: better: x = "fewer"; write less or more`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := report.Parse("r", test.text, saved(t))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	for limit, want := range map[string]time.Duration{"": report.TimeLimit, "time_limit = \"90s\"\n": 90 * time.Second} {
		r, err := report.Parse("r", limit+head+"sql = \"SELECT 1\"", nil)
		if err != nil || r.TimeLimit != want || r.Redact {
			t.Errorf("%q: %+v, %v", limit, r, err)
		}
	}
	if _, err := report.Parse("No Name", head+"sql = \"SELECT 1\"", nil); err == nil {
		t.Error("a name with a space is accepted")
	}
}

func TestUsersFolder(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"weekly.toml":   "title = \"Mine\"\n[[section]]\ntitle = \"a\"\nsql = \"SELECT 1\"",
		"other.toml":    "title = \"Other\"\n[[section]]\ntitle = \"a\"\nsql = \"SELECT 1\"",
		"bad.toml":      "titel = \"Bad\"",
		"refusals.toml": "title = \"Not yet\"",
		"notes.txt":     "no report",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	saved, err := queries.All("")
	if err != nil {
		t.Fatal(err)
	}
	all, err := report.All(folder, saved)
	if want := filepath.Join(folder, "bad.toml") + ":1: unknown key"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	var got []string
	for _, r := range all {
		line := r.Name + " " + r.Title
		if r.Overrides {
			line += " overrides"
		}
		if r.Path != "" {
			line += " " + filepath.Base(r.Path)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"other Other other.toml", "weekly Mine overrides weekly.toml"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := report.All(filepath.Join(folder, "none"), saved); err != nil {
		t.Error(err)
	}
}

// TestPeriodAcrossClockChanges: a week and the week before have seven days each.
func TestPeriodAcrossClockChanges(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Skip("no time zones on this machine: " + err.Error())
	}
	for _, until := range []time.Time{
		time.Date(2026, 3, 30, 8, 0, 0, 0, zone), // the day after the clocks went forward
		time.Date(2026, 10, 26, 8, 0, 0, 0, zone),
		time.Date(2026, 11, 2, 8, 0, 0, 0, zone),
	} {
		week := report.Period{Since: queries.Span("7d").Before(until), Until: until}
		before := week.Previous()
		for i, at := range []time.Time{week.Since, before.Since} {
			if want := until.AddDate(0, 0, -7*(i+1)); !at.Equal(want) {
				t.Errorf("until %s: %s, want %s", until, at, want)
			}
		}
		if !before.Until.Equal(week.Since) {
			t.Errorf("a gap between %v and %v", before, week)
		}
	}
	if got := queries.Span("90m").Before(time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)); !got.Equal(time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC)) {
		t.Errorf("90m before: %s", got)
	}
}

// TestRunBinds checks that the period, the section's values and the query's defaults
// reach the query as text, and that a number is also queried for the period before.
func TestRunBinds(t *testing.T) {
	r, err := report.Parse("r", `title = "T"
[[section]]
title = "a"
query = "q"
show = "number"
`, saved(t))
	if err != nil {
		t.Fatal(err)
	}
	var asked []map[string]any
	query := func(_ context.Context, sql string, args map[string]any) (result.Set, error) {
		if strings.HasPrefix(sql, "SELECT CAST(CAST((5) AS INTEGER)") {
			return result.Set{Columns: []result.Column{{Name: "top"}}, Rows: [][]any{{"5"}}}, nil
		}
		if strings.HasPrefix(sql, "SELECT min(timestamp)") {
			return result.Set{Columns: result.Columns("oldest TIMESTAMPTZ"), Rows: [][]any{{time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}}}, nil
		}
		asked = append(asked, args)
		return result.Set{Columns: []result.Column{{Name: "n_of_them", Type: "BIGINT"}}, Rows: [][]any{{int64(10 - len(asked))}}}, nil
	}
	until := time.Date(2026, 10, 15, 0, 0, 0, 0, time.UTC)
	d, err := report.Run(context.Background(), r, report.Period{Since: r.Period.Before(until), Until: until}, query)
	if err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{"since": "2026-10-08T00:00:00Z", "top": "5"}, {"since": "2026-10-01T00:00:00Z", "top": "5"}}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]html.Figure{{Label: "n of them", Column: "n_of_them", Value: "9", Change: "was 8"}}, d.Parts[0].Figures()); diff != "" {
		t.Error(diff)
	}
	if note := d.Parts[0].Note; note != "Up to now: the query knows no end of the period. Compared with 2026-10-01 to 2026-10-07." {
		t.Errorf("note %q", note)
	}
	if d.FileName("text") != "r-2026-10-15.txt" {
		t.Errorf("file name %s", d.FileName("text"))
	}
	d.Period.Since = until.Add(-time.Hour)
	if d.FileName("text") != "r-2026-10-15-0000.txt" {
		t.Errorf("file name of an hour %s", d.FileName("text"))
	}
}

// TestComparison checks that numbers are compared only with a period that begins at the
// oldest message or later, and that each format stays silent about other periods.
func TestComparison(t *testing.T) {
	r, err := report.Parse("r", "title = \"T\"\n[[section]]\ntitle = \"a\"\nsql = \"SELECT 1 AS n\"\nshow = \"number\"\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	until := time.Date(2026, 10, 15, 0, 0, 0, 0, time.UTC)
	begin := until.AddDate(0, 0, -14) // of the period before
	for name, of := range map[string]struct {
		oldest any
		want   string // change
		note   string
	}{
		"begins with the rows": {begin, "as before", "Compared with 2026-10-01 to 2026-10-07."},
		"begins earlier":       {begin.Add(time.Second), "", "Not compared with the time before: the oldest message is of 2026-10-01 00:00."},
		"nothing before":       {until.AddDate(0, 0, -7), "", ""},
		"no rows at all":       {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			query := func(_ context.Context, sql string, _ map[string]any) (result.Set, error) {
				if strings.HasPrefix(sql, "SELECT min(timestamp)") {
					return result.Set{Columns: result.Columns("oldest TIMESTAMPTZ"), Rows: [][]any{{of.oldest}}}, nil
				}
				return result.Set{Columns: result.Columns("n BIGINT"), Rows: [][]any{{int64(1)}}}, nil
			}
			d, err := report.Run(context.Background(), r, report.Period{Since: until.AddDate(0, 0, -7), Until: until}, query)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Parts[0].Figures()[0].Comparison(); got != of.want {
				t.Errorf("told %q, want %q", got, of.want)
			}
			if note := d.Parts[0].Note; !strings.HasSuffix(note, of.note) || of.note == "" && strings.Contains(strings.ToLower(note), "compared") {
				t.Errorf("note %q, want %q", note, of.note)
			}
			for format, bad := range map[string]string{"html": "class=\"change\"", "markdown": "()", "json": "\"before\"", "text": "  \n"} {
				var b strings.Builder
				if err := d.Write(&b, format, report.Screen{}); err != nil {
					t.Fatal(err)
				}
				if has := strings.Contains(b.String(), bad); has && of.want == "" {
					t.Errorf("%s has %q without a comparison:\n%s", format, bad, b.String())
				}
			}
		})
	}
}

// TestCardsAndConversations checks rows as cards, and conversations named by rows, in
// each format.
func TestCardsAndConversations(t *testing.T) {
	c := &conversation.Conversation{Session: conversation.Session{ID: "0123456789", About: "A <talk>"}, Pieces: []conversation.Piece{
		{Kind: conversation.Prompt, Index: 1, Who: "you", Text: "do <it>"},
		{Kind: conversation.Call, Index: 2, Who: "agent", Call: &conversation.ToolCall{ID: "c", Tool: "Edit", Refusal: &conversation.Refusal{By: "user", Reason: "no"}}},
		{Kind: conversation.LeftOut, Count: 3},
	}}
	card := result.Set{Columns: result.Columns("project VARCHAR", "d VARCHAR", "why VARCHAR"), Rows: [][]any{{"/shop", "@@ -1 +1 @@\n-a\n+```\n", "because"}}}
	d := &report.Document{Title: "x", Parts: []report.Part{
		{Title: "cards", Show: report.Diff, Set: card, Cards: map[string]string{"diff": "D", "said": "why"}},
		{Title: "talk", Show: report.Talk, Sessions: []*conversation.Conversation{c, c}, Set: result.Set{Columns: result.Columns("session VARCHAR"), Rows: [][]any{{"0123456789:1"}}}},
	}}
	for format, wants := range map[string][]string{
		"html":     {`<header>/shop</header>`, `<tr class="del">`, `id="s2-1-m1"`, `id="s2-2-m1"`, "refused by you", "<h3>A &lt;talk&gt; · 01234567</h3>"},
		"markdown": {"````diff\n@@ -1 +1 @@", "> because", "### A &lt;talk> · 01234567", "| you | do &lt;it>", "user: no"},
		"json":     {`"sessions": [`, `"refused_by"`},
	} {
		var b strings.Builder
		if err := d.Write(&b, format, report.Screen{}); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %s in\n%s", format, want, b.String())
			}
		}
	}
}

// TestTextTables: long texts, such as ids, leave rows in a table. Diffs and conversations
// have a value on each line.
func TestTextTables(t *testing.T) {
	long := strings.Repeat("long ", 20)
	rows := func(column, text string) result.Set {
		return result.Set{Columns: result.Columns("n BIGINT", column), Rows: [][]any{{int64(1), text}}}
	}
	talk := []*conversation.Conversation{{Pieces: []conversation.Piece{{Kind: conversation.Prompt, Who: "you", Text: "do it"}}}}
	for name, test := range map[string]struct {
		part report.Part
		want report.Drawing
	}{
		"long text":    {report.Part{Set: rows("session VARCHAR", long)}, report.AsTable},
		"diff":         {report.Part{Set: rows("proposed_diff VARCHAR", "-a\n+b\n")}, report.AsLines},
		"conversation": {report.Part{Show: report.Talk, Set: rows("session VARCHAR", "x"), Sessions: talk}, report.AsLines},
	} {
		t.Run(name, func(t *testing.T) {
			var got []report.Drawing
			draw := func(_ io.Writer, as report.Drawing, _ *result.Rows, _ *chart.Declaration) error {
				got = append(got, as)
				return nil
			}
			d := &report.Document{Parts: []report.Part{test.part}}
			if err := d.Write(io.Discard, "text", report.Screen{Draw: draw}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, []report.Drawing{test.want}) {
				t.Errorf("drawn as %q, want %q", got, test.want)
			}
		})
	}
}
