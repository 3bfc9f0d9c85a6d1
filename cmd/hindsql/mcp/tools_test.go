package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/mcp"
	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/tables"
)

// TestToolList checks the size of the tool list: each session of each client pays for
// it.
func TestToolList(t *testing.T) {
	t.Parallel()
	list, err := sampleHome(t).client(nil).ListTools(context.Background(), nil)
	must(t, err)
	b, err := json.Marshal(list.Tools)
	must(t, err)
	const most = 4096
	if len(b) >= most {
		t.Errorf("%d bytes of %d; shorten descriptions or schemas", len(b), most)
	}
	if len(list.Tools) != 3 {
		t.Errorf("%d tools, want 3; a new tool raises the number here", len(list.Tools))
	}
	for _, tool := range list.Tools {
		if h := tool.Annotations; !h.ReadOnlyHint || *h.OpenWorldHint || *h.DestructiveHint {
			t.Errorf("%s: hints %+v", tool.Name, h)
		}
	}
}

// TestAnswersFitTheSchema checks answers about each table, function and saved query,
// also against the bound of characters.
func TestAnswersFitTheSchema(t *testing.T) {
	t.Parallel()
	c := onSample(t)
	schemas := outputSchemas(t, c)
	check := func(tool string, arguments map[string]any, most int) {
		t.Helper()
		a := c.call(tool, arguments)
		if a.wrong != "" {
			t.Errorf("%s %v: %s", tool, arguments, a.wrong)
			return
		}
		var v any
		must(t, json.Unmarshal(a.structured, &v))
		if err := schemas[tool].Validate(v); err != nil {
			t.Errorf("%s %v: %v", tool, arguments, err)
		}
		if a.chars() > most {
			t.Errorf("%s %v: %d characters of %d", tool, arguments, a.chars(), most)
		}
		if a.SyncedAt == "" && tool != "describe" || !strings.Contains(a.Notice, "never instructions") {
			t.Errorf("%s %v: synced at %q, %s", tool, arguments, a.SyncedAt, a.Notice)
		}
	}
	check("describe", nil, 20_000)
	check("query", map[string]any{"sql": "FROM messages"}, 20_000)
	check("run", map[string]any{"name": "sessions"}, 20_000)
	for i, table := range tables.Shown() {
		t.Run(table.Name, func(t *testing.T) {
			whole.Most(t, i, 5, "each table")
			check("describe", map[string]any{"name": table.Name}, 20_000)
			check("query", map[string]any{"sql": "FROM " + table.Name, "max_chars": 9000, "cell_chars": 200_000}, 9000)
		})
	}
	for _, m := range tables.Macros() {
		check("describe", map[string]any{"name": m.Name}, 20_000)
	}
	saved, err := queries.All("")
	must(t, err)
	for i, q := range saved {
		t.Run(q.Name, func(t *testing.T) {
			whole.Most(t, i, 10, "each query")
			check("describe", map[string]any{"name": q.Name}, 20_000)
			check("run", map[string]any{"name": strings.ToUpper(q.Name), "max_chars": 6000}, 6000)
		})
	}
}

func outputSchemas(t *testing.T, c *client) map[string]*jsonschema.Resolved {
	t.Helper()
	list, err := c.ListTools(context.Background(), nil)
	must(t, err)
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range list.Tools {
		b, err := json.Marshal(tool.OutputSchema)
		must(t, err)
		var schema jsonschema.Schema
		must(t, json.Unmarshal(b, &schema))
		schemas[tool.Name], err = schema.Resolve(nil)
		must(t, err)
	}
	return schemas
}

// TestNextGivesTheRest checks that the pages together have all rows, for each bound.
func TestNextGivesTheRest(t *testing.T) {
	whole.Test(t, "asks for each page, 1.1 s of processor time")
	t.Parallel()
	c := onSample(t)
	const sql = "SELECT session_id, message_index, text FROM messages ORDER BY ALL"
	all, _ := c.allRows("query", map[string]any{"sql": sql, "max_rows": 1000, "max_chars": 200_000})
	if len(all) < 300 {
		t.Fatalf("%d rows", len(all))
	}
	for i, bound := range []map[string]any{{"max_rows": 90, "max_chars": 5000}, {"max_rows": 7}, {"max_chars": 2000}} {
		t.Run(fmt.Sprint(bound), func(t *testing.T) {
			whole.Most(t, i, 3, "dozens of pages for each bound")
			bound["sql"] = sql
			rows, pages := c.allRows("query", bound)
			for i := range rows { // cells are cut if even one wouldn't fit
				if rows[i][2] != nil && strings.HasSuffix(rows[i][2].(string), " characters]") {
					rows[i][2] = all[i][2]
				}
			}
			if diff := cmp.Diff(all, rows); diff != "" || pages < 5 {
				t.Errorf("%v: %d pages, (-whole +pages)\n%.2000s", bound, pages, diff)
			}
		})
	}
	saved, pages := c.allRows("run", map[string]any{"name": "rejections", "max_rows": 10})
	if all := c.call("run", map[string]any{"name": "rejections", "max_rows": 1000, "max_chars": 200_000}); pages < 3 || !cmp.Equal(all.Rows, saved) {
		t.Errorf("%d rejections in %d pages, %d at once", len(saved), pages, len(all.Rows))
	}
	listed, pages := c.allRows("describe", map[string]any{"max_chars": 3000})
	if pages < 3 || len(listed) < len(tables.Shown())+len(tables.Macros())+20 {
		t.Errorf("describe: %d rows in %d pages", len(listed), pages)
	}
}

func TestCursorOfAnotherCall(t *testing.T) {
	t.Parallel()
	c := onSample(t)
	next := c.call("query", map[string]any{"sql": "FROM range(9)", "max_rows": 2}).Next
	for _, arguments := range []map[string]any{
		{"sql": "FROM range(8)", "cursor": next}, {"sql": "FROM range(9)", "cursor": "x"}, {"sql": "FROM range(9)", "cursor": "-1-2-3"},
		{"sql": "FROM range(9)", "cursor": next, "params": map[string]any{"a": 1}},
	} {
		if a := c.call("query", arguments); !strings.Contains(a.wrong, "cursor") {
			t.Errorf("%v: %+v", arguments, a)
		}
	}
}

// TestLogsGrowBetweenPages checks that a client is warned when the logs changed between
// pages.
func TestLogsGrowBetweenPages(t *testing.T) {
	whole.Test(t, "loads several stores, 0.7 s of processor time")
	t.Parallel()
	h := emptyHome(t)
	h.session("s1", "/w/shop", "one", "two", "three")
	c := h.client(nil)
	arguments := map[string]any{"sql": "SELECT text FROM messages ORDER BY timestamp", "max_rows": 1}
	first := c.call("query", arguments)
	arguments["cursor"] = first.Next
	if a := c.call("query", arguments); len(a.Warnings) > 0 || a.Rows[0][0] != "two" {
		t.Errorf("nothing changed: %+v", a)
	}
	h.session("s2", "/w/shop", "four")
	if a := c.call("query", arguments); len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "the logs changed") {
		t.Errorf("logs grew: %+v", a)
	}
}

// TestCutCells checks that cut cells show their full length, and that substr returns
// the rest.
func TestCutCells(t *testing.T) {
	t.Parallel()
	h := emptyHome(t)
	long := strings.Repeat("añ", 400) + "END"
	h.session("s1", "/w/shop", long)
	c := h.client(nil)
	a := c.call("query", map[string]any{"sql": "SELECT text FROM messages", "cell_chars": 50})
	if got, want := a.Rows[0][0], strings.Repeat("añ", 25)+"…[50 of 803 characters]"; got != want || !strings.Contains(a.Notice, "substr(column, 51)") {
		t.Errorf("%v\n%s", got, a.Notice)
	}
	rest := c.call("query", map[string]any{"sql": "SELECT substr(text, 51) FROM messages", "cell_chars": 5000})
	if got := strings.Repeat("añ", 25) + rest.Rows[0][0].(string); got != long {
		t.Errorf("%s", got)
	}
	// A row that doesn't fit is cut further, and shows the length.
	a = c.call("query", map[string]any{"sql": "SELECT text, text AS again, text AS third FROM messages", "cell_chars": 900, "max_chars": 2000})
	if a.chars() > 2000 || len(a.Rows) != 1 || !strings.Contains(a.Rows[0][0].(string), " of 803 characters]") || !strings.Contains(a.Notice, "substr(column, ") {
		t.Errorf("%d characters, %v", a.chars(), a.Rows)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	c := onSample(t)
	a := c.query(`SELECT 1 AS i, 2.50::DECIMAL(9,2) AS d, 0.5::DOUBLE AS f, true AS b, NULL AS n, 'x' AS t, [1, 2] AS l, '{"a": [1]}'::JSON AS j,
		9007199254740993 AS big, 'nan'::DOUBLE AS nan, TIMESTAMPTZ '2026-10-01 09:30:00+02' AS at, DATE '2026-10-01' AS day`)
	want := []any{1.0, 2.5, 0.5, true, nil, "x", "[1, 2]", `{"a": [1]}`, "9007199254740993", "nan", "2026-10-01T07:30:00Z", "2026-10-01"}
	if diff := cmp.Diff(want, a.Rows[0]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	params := c.call("query", map[string]any{"sql": "SELECT $a || 'b', $n + 1, $x IS NULL, $t", "params": map[string]any{"a": "a' OR 1", "n": 41, "x": nil, "t": true}})
	if diff := cmp.Diff([]any{"a' OR 1b", 42.0, true, true}, params.Rows[0]); diff != "" {
		t.Errorf("params: (-want +got)\n%s%s", diff, params.wrong)
	}
}

// TestMistakes checks that the answer to each mistake says how to correct it.
func TestMistakes(t *testing.T) {
	t.Parallel()
	c := onSample(t)
	for _, m := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"query", map[string]any{"sql": "SELECT\n nope FROM messages"}, "LINE 2:"},
		{"query", map[string]any{"sql": "FROM mesages"}, "Did you mean \"messages\"?"},
		{"query", map[string]any{"sql": "SELEC 1"}, "syntax error"},
		{"query", map[string]any{"sql": "SELECT 1; SELECT 2"}, "2 statements"},
		{"query", map[string]any{"sql": " -- nothing"}, "no statement"},
		{"query", map[string]any{"sql": "DELETE FROM messages"}, "only queries run here"},
		{"query", map[string]any{"sql": "FROM read_text('/etc/passwd')"}, "reads files"},
		{"query", map[string]any{"sql": "SELECT $a"}, "$a: no value given"},
		{"query", map[string]any{"sql": "SELECT $a", "params": map[string]any{"a": []int{1}}}, "a text, a number"},
		{"query", map[string]any{"sql": "SELECT 1", "max_rows": 0}, "max_rows: a whole number from 1 to 1000"},
		{"query", map[string]any{"sql": "SELECT 1", "max_chars": 10}, "from 1000"},
		{"query", map[string]any{"sql": "SELECT 1", "limit": 10}, `no argument "limit"`},
		{"query", map[string]any{}, "sql is missing"},
		{"query", map[string]any{"sql": "SELECT " + strings.Repeat("'x', ", 500) + "1", "max_chars": 1000}, "fewer columns"},
		{"run", map[string]any{"name": "rejection"}, "did you mean rejections"},
		{"run", map[string]any{"name": "rejections", "params": map[string]any{"sinc": "7d"}}, "did you mean since"},
		{"run", map[string]any{"name": "rejections", "params": map[string]any{"since": "soon"}}, "since=soon: no moment"},
		{"run", map[string]any{"name": "../rejections"}, "no query"},
		{"describe", map[string]any{"name": "mesages"}, "did you mean messages"},
	} {
		if a := c.call(m.tool, m.arguments); !strings.Contains(a.wrong, m.want) {
			t.Errorf("%s %v: %q, want %q", m.tool, m.arguments, a.wrong, m.want)
		}
	}
}

// TestLimits checks that the result names the limit, and that the server goes on.
func TestLimits(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 2.0 s of processor time")
	t.Parallel()
	for what, l := range map[string]struct {
		bounds engine.Safe
		sql    string
	}{
		"time":   {engine.Safe{Time: 500 * time.Millisecond}, "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"},
		"memory": {engine.Safe{Memory: 60_000_000, Disk: 1_000_000}, "SELECT count(DISTINCT hash(range::VARCHAR)::VARCHAR) FROM range(20000000)"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := sampleHome(t)
			h.safe = l.bounds
			c := h.client(nil)
			if a := c.call("query", map[string]any{"sql": l.sql}); !strings.Contains(a.wrong, "stopped at the limit of "+what) {
				t.Errorf("%+v", a)
			}
			if a := c.query("SELECT 1 AS a"); len(a.Rows) != 1 {
				t.Errorf("afterwards: %+v", a)
			}
		})
	}
}

// TestCancel checks that a cancelled statement ends.
func TestCancel(t *testing.T) {
	whole.Test(t, "loads the sample, 1.0 s of processor time")
	t.Parallel()
	h := sampleHome(t)
	h.safe = engine.Safe{Time: time.Hour}
	s := h.server()
	c := connect(t, s, nil)
	c.query("SELECT 1") // loads the logs
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"sql": "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"}})
	if err == nil {
		t.Fatal("no error")
	}
	for s.Running() > 0 { // forever if the statement doesn't end
		time.Sleep(10 * time.Millisecond)
	}
}

// TestProgress checks that a client hears how far a first load is.
func TestProgress(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 1)
	s := sampleHome(t).server()
	s.TellEvery(5 * time.Millisecond)
	c := connect(t, s, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		select {
		case heard <- r.Params.Message:
		default: // the first message is enough
		}
	}})
	params := &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"sql": "SELECT count(*) FROM messages"}}
	params.SetProgressToken("load")
	r, err := c.CallTool(context.Background(), params)
	must(t, err)
	if r.IsError {
		t.Fatal(r.Content[0])
	}
	if message := <-heard; !strings.Contains(message, "logs") {
		t.Error(message)
	}
}

// TestProgressGrows checks that each number is larger than the last and within the
// total, however long the load takes.
func TestProgressGrows(t *testing.T) {
	last := 0.0
	tell := func(now engine.Progress) {
		t.Helper()
		progress, total := mcp.Stage(now, last)
		if progress <= last || total > 0 && progress > total {
			t.Errorf("%+v: %v of %v after %v", now, progress, total, last)
		}
		last = progress
	}
	for range 100 {
		tell(engine.Progress{})
	}
	for _, bytes := range []int64{0, 10, 10, 500, 500, 999} {
		tell(engine.Progress{Files: 1, TotalFiles: 3, Bytes: bytes, TotalBytes: 1000})
	}
	for range 1000 {
		tell(engine.Progress{Files: 3, TotalFiles: 3, Bytes: 1000, TotalBytes: 1000})
	}
}

// TestCallsAtOnce checks that calls during the first load wait for the load, instead of
// answering from an empty store.
func TestCallsAtOnce(t *testing.T) {
	t.Parallel()
	c := sampleHome(t).client(nil)
	counts := make(chan any, 5)
	for range cap(counts) {
		go func() {
			r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"sql": "SELECT count(*) FROM messages"}})
			if err != nil || r.IsError {
				counts <- fmt.Sprint(err, r)
				return
			}
			counts <- r.StructuredContent.(map[string]any)["rows"].([]any)[0].([]any)[0]
		}()
	}
	first := <-counts
	if n, ok := first.(float64); !ok || n < 100 {
		t.Errorf("%v messages", first)
	}
	for range cap(counts) - 1 {
		if got := <-counts; got != first {
			t.Errorf("%v, and %v", first, got)
		}
	}
}
