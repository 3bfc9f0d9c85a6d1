package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// loadFor is how long the clients send statements.
const loadFor = time.Minute

// growing is the number of logs to which lines are appended meanwhile.
const growing = 5

// TestLoad runs eight clients over HTTP for a minute, while logs grow and one client
// sends statements that exceed any memory. The other clients' rows of unchanged
// sessions must equal a clean load's. Counts of growing sessions must never shrink. At
// the end, all tables must have the rows of a newly loaded store. TestLoad logs how
// long answers took. `make bench-mcp` runs it, on a copy of the folder
// $HINDSQL_MCP_LOAD, which has the folder projects.
func TestLoad(t *testing.T) {
	from := os.Getenv("HINDSQL_MCP_LOAD")
	if from == "" {
		t.Skip("$HINDSQL_MCP_LOAD is not set; `make bench-mcp` sets it")
	}
	l := &load{home: t.TempDir(), took: map[string][]time.Duration{}, failed: map[string]int{}}
	must(t, os.CopyFS(filepath.Join(l.home, ".claude"), os.DirFS(from)))
	l.choose(t)
	t.Logf("from the start to the first answer: %v with an empty store", l.firstAnswer(t))
	t.Logf("from the start to the first answer: %v with a loaded store", l.firstAnswer(t))
	l.learn(t)
	s := httpServer(t, l.home, "--all")
	ctx, stop := context.WithTimeout(context.Background(), loadFor)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { l.grow(t, ctx) })
	all.Go(func() { l.bomb(t, ctx, reach(t, s)) })
	for n := range 7 {
		c := reach(t, s)
		all.Go(func() { l.askOn(t, ctx, c, n) })
	}
	all.Wait()
	l.report(t, "under load")
	l.compare(t, reach(t, s))
}

// load is the clients' common state.
type load struct {
	home    string
	logs    []string           // the growing logs
	ids     []string           // session ids of logs
	asked   []string           // statements about unchanged sessions
	answers map[string][][]any // rows of a clean load, by statement

	mutex  sync.Mutex
	took   map[string][]time.Duration
	failed map[string]int
	lines  int // number of appended lines
}

// choose takes the largest logs to grow, because agents write to such logs.
func (l *load) choose(t *testing.T) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(l.home, ".claude", "projects", "*", "*.jsonl"))
	must(t, err)
	size := func(path string) int64 {
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	slices.SortFunc(paths, func(a, b string) int { return int(size(b) - size(a)) })
	l.logs = paths[:growing]
	for _, path := range l.logs {
		l.ids = append(l.ids, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	}
	still := "session_id NOT IN ('" + strings.Join(l.ids, "', '") + "')"
	l.asked = []string{
		"SELECT session_id, message_index, kind, left(text, 80) AS begins FROM messages WHERE " + still + " ORDER BY ALL LIMIT 80",
		"SELECT tool_name, count(*) AS n, count(*) FILTER (status = 'rejected') AS refused FROM tool_calls WHERE " + still + " GROUP BY ALL ORDER BY ALL",
		"SELECT project, count(*) AS sessions, sum(prompt_count) AS prompts, sum(output_tokens) AS written FROM sessions WHERE " + still + " GROUP BY ALL ORDER BY ALL",
		"SELECT session_id, tool_use_id, decided_by, left(reason, 100) AS reason FROM rejections WHERE " + still + " ORDER BY ALL LIMIT 60",
		"SELECT count(*) AS n, sum(length(output)) AS characters, count(DISTINCT command) AS commands FROM tool_calls WHERE " + still,
		"SELECT session_id, count(*) AS n FROM messages WHERE text ILIKE '%error%' AND " + still + " GROUP BY ALL ORDER BY n DESC, session_id LIMIT 50",
		"SELECT kind, count(*) AS n, min(timestamp) AS first, max(timestamp) AS latest FROM messages WHERE " + still + " GROUP BY ALL ORDER BY ALL",
	}
}

// firstAnswer returns the time from hindsql's start to its first answer.
func (l *load) firstAnswer(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	cmd := exec.Command(binary(t), "mcp", "--all")
	cmd.Env = l.environment()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "load", Version: "1"}, nil).Connect(context.Background(), &sdk.CommandTransport{Command: cmd}, nil)
	must(t, err)
	defer c.Close()
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "run", Arguments: map[string]any{"name": "rejections"}})
	must(t, err)
	if r.IsError {
		t.Fatal(r.Content[0])
	}
	return time.Since(began).Round(time.Millisecond)
}

func (l *load) environment() []string {
	list := os.Environ()
	for name, value := range environment(l.home) {
		list = append(list, name+"="+value)
	}
	return list
}

// learn fills answers from the program itself, with a separate store.
func (l *load) learn(t *testing.T) {
	t.Helper()
	l.answers = map[string][][]any{}
	for _, sql := range l.asked {
		l.answers[sql] = l.clean(t, sql)
	}
}

// clean returns a statement's rows from a store loaded from the logs alone.
func (l *load) clean(t *testing.T, sql string) (rows [][]any) {
	t.Helper()
	cmd := exec.Command(binary(t), "--store", filepath.Join(l.home, "clean", "store.duckdb"), "--format", "ndjson", sql)
	cmd.Env = l.environment()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", sql, err, said.String())
	}
	for line := range strings.Lines(string(out)) {
		rows = append(rows, valuesOf(t, line))
	}
	return rows
}

// valuesOf returns the values of a JSON object, in its order.
func valuesOf(t *testing.T, object string) (values []any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(object))
	_, err := d.Token()
	must(t, err)
	for d.More() {
		_, err := d.Token()
		must(t, err)
		var v any
		must(t, d.Decode(&v))
		values = append(values, v)
	}
	return values
}

// withToken sends the server's token.
type withToken struct{ token string }

// RoundTrip sends a request.
func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultTransport.RoundTrip(r)
}

// reach connects a client over HTTP.
func reach(t *testing.T, s *served) *sdk.ClientSession {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: withToken{s.Token}}}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "load", Version: "1"}, nil).Connect(context.Background(), transport, nil)
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ask returns the rows of a statement. If the call fails, ask counts the error's text
// and returns false.
func (l *load) ask(t *testing.T, c *sdk.ClientSession, who, sql string) (rows [][]any, ok bool) {
	began := time.Now()
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"sql": sql, "max_rows": 1000, "max_chars": 200_000}})
	took := time.Since(began)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.took[who] = append(l.took[who], took)
	switch {
	case err != nil:
		l.failed[who+": "+err.Error()]++
		return nil, false
	case r.IsError:
		text := r.Content[0].(*sdk.TextContent).Text
		_, text, _ = strings.Cut(text, ">\n")
		text, _, _ = strings.Cut(text, "\n</recorded")
		l.failed[who+": "+text]++
		return nil, false
	}
	b, err := json.Marshal(r.StructuredContent)
	must(t, err)
	var a answer
	must(t, json.Unmarshal(b, &a))
	if a.Truncated {
		t.Errorf("%s: the answer is cut", sql)
	}
	for _, w := range a.Warnings {
		l.failed[who+" was warned: "+w[:min(len(w), 40)]]++
	}
	return a.Rows, true
}

// askOn sends statements in turn until ctx ends.
func (l *load) askOn(t *testing.T, ctx context.Context, c *sdk.ClientSession, n int) {
	seen := 0.0
	for i := n; ctx.Err() == nil; i++ {
		sql := l.asked[i%len(l.asked)]
		if rows, ok := l.ask(t, c, "client", sql); ok && !cmp.Equal(rows, l.answers[sql]) {
			t.Errorf("%s:\n%s", sql, cmp.Diff(l.answers[sql], rows))
		}
		rows, ok := l.ask(t, c, "client", "SELECT count(*) FROM messages WHERE session_id IN ('"+strings.Join(l.ids, "', '")+"')")
		if !ok {
			continue
		}
		now, _ := rows[0][0].(float64)
		if now < seen {
			t.Errorf("%v messages after %v", now, seen)
		}
		seen = now
	}
}

// bombs are statements that exceed a limit.
var bombs = []string{
	"SELECT count(DISTINCT hash(range::VARCHAR)::VARCHAR) FROM range(200000000)",
	"SELECT max(length(t)) FROM (SELECT string_agg(a.text || b.text, '') AS t FROM messages a, messages b)",
	"SELECT a.text, b.text FROM messages a, messages b ORDER BY a.text || b.text LIMIT 10",
}

// bomb sends the bombs until ctx ends.
func (l *load) bomb(t *testing.T, ctx context.Context, c *sdk.ClientSession) {
	for i := 0; ctx.Err() == nil; i++ {
		l.ask(t, c, "bomb", bombs[i%len(bombs)])
	}
}

// grow appends whole lines to logs, as agents do.
func (l *load) grow(t *testing.T, ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		at := n % len(l.logs)
		line, err := json.Marshal(map[string]any{
			"type": "user", "uuid": fmt.Sprintf("grown-%d", n), "sessionId": l.ids[at], "cwd": "/home/dev/work/grown", "version": "1.0.17", "userType": "external",
			"timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "message": map[string]any{"role": "user", "content": fmt.Sprint("line ", n)},
		})
		must(t, err)
		f, err := os.OpenFile(l.logs[at], os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = f.Write(append(line, '\n'))
		must(t, err)
		must(t, f.Close())
		l.lines++
		time.Sleep(100 * time.Millisecond)
	}
}

// report logs how long answers took, and the errors and warnings.
func (l *load) report(t *testing.T, when string) {
	t.Helper()
	for _, who := range slices.Sorted(maps.Keys(l.took)) {
		took := l.took[who]
		slices.Sort(took)
		t.Logf("%s: %s: %d answers, p50 %v, p99 %v, longest %v", when, who, len(took), took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	}
	for _, what := range slices.Sorted(maps.Keys(l.failed)) {
		t.Logf("%s: %d × %s", when, l.failed[what], what)
	}
	t.Logf("%s: %d lines appended", when, l.lines)
}

// compare checks the row counts of all tables against a newly loaded store.
func (l *load) compare(t *testing.T, c *sdk.ClientSession) {
	t.Helper()
	must(t, os.RemoveAll(filepath.Join(l.home, "clean")))
	for _, table := range []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "clears", "prompts", "problems", "sources"} {
		sql := "SELECT count(*) AS n FROM " + table
		rows, ok := l.ask(t, c, "afterwards", sql)
		if want := l.clean(t, sql); !ok || !cmp.Equal(rows, want) {
			t.Errorf("%s: %v, a clean load has %v", sql, rows, want)
		}
	}
	grown := "SELECT count(*) AS n FROM messages WHERE text LIKE 'line %' AND session_id IN ('" + strings.Join(l.ids, "', '") + "')"
	if rows, ok := l.ask(t, c, "afterwards", grown); !ok || rows[0][0] != float64(l.lines) {
		t.Errorf("%v of %d lines are there", rows, l.lines)
	}
}
