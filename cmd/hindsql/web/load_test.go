package web_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Number of loads of each page alone, time of the load by eight clients, and time of an
// idle open page.
const (
	loads    = 50
	crowdFor = time.Minute
	idleFor  = time.Minute
)

// TestPagesUnderLoad measures single pages, an open page that nobody uses, and eight
// clients that load pages for a minute while logs grow. Rows of sessions that don't
// grow must equal those of a newly loaded store. At the end, the counts of all tables
// must, too. `make bench-web` runs the test on a copy of the folder $HINDSQL_WEB_LOAD,
// which has the folder projects.
func TestPagesUnderLoad(t *testing.T) {
	from := os.Getenv("HINDSQL_WEB_LOAD")
	if from == "" {
		t.Skip("$HINDSQL_WEB_LOAD is not set; `make bench-web` sets it")
	}
	l := &load{home: t.TempDir(), took: map[string][]time.Duration{}, size: map[string]int{}, failed: map[string]int{}}
	must(t, os.CopyFS(filepath.Join(l.home, ".claude"), os.DirFS(from)))
	long(longID, "/home/dev/work/proj-01", 2048, time.Now()).write(t, l.home, "proj-01")
	l.choose(t)
	began := time.Now()
	s := program(t, l.home)
	client, base := enter(t, s.url)
	t.Logf("from the start to the first page, with an empty store: %v", time.Since(began).Round(time.Millisecond))
	l.learn(t)
	pages := l.pages(t, client, base)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for range loads {
			l.get(t, client, name, base+pages[name])
		}
	}
	l.report(t, "alone")
	l.idle(t, s, client, base)
	l.crowd(t, s, base, pages)
	l.report(t, "eight at once")
	l.compare(t, client, base)
}

// load is the clients' common state.
type load struct {
	home  string
	logs  []string // the growing logs
	ids   []string // session ids of logs
	right map[string][][]string

	mutex  sync.Mutex
	took   map[string][]time.Duration
	size   map[string]int
	failed map[string]int
	lines  int // number of appended lines
}

// choose takes the largest logs to grow.
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
	for _, path := range paths {
		if id := strings.TrimSuffix(filepath.Base(path), ".jsonl"); id != longID && len(l.logs) < 5 {
			l.logs, l.ids = append(l.logs, path), append(l.ids, id)
		}
	}
}

func (l *load) still() string {
	return "session_id NOT IN ('" + strings.Join(l.ids, "', '") + "')"
}

// learn reads the right rows from a clean load.
func (l *load) learn(t *testing.T) {
	t.Helper()
	l.right = map[string][][]string{}
	for _, sql := range []string{
		"SELECT session_id, message_index, kind, left(text, 80) AS begins FROM messages WHERE " + l.still() + " ORDER BY ALL LIMIT 80",
		"SELECT tool_name, count(*) AS n, count(*) FILTER (status = 'rejected') AS refused FROM tool_calls WHERE " + l.still() + " GROUP BY ALL ORDER BY ALL",
		"SELECT project, count(*) AS sessions, sum(prompt_count) AS prompts FROM sessions WHERE " + l.still() + " GROUP BY ALL ORDER BY ALL",
		"SELECT session_id, tool_use_id, decided_by, left(reason, 100) AS reason FROM rejections WHERE " + l.still() + " ORDER BY ALL LIMIT 60",
	} {
		l.right[sql] = l.clean(t, sql)
	}
}

// clean returns a statement's rows from a store loaded from the logs alone.
func (l *load) clean(t *testing.T, sql string) [][]string {
	t.Helper()
	cmd := exec.Command(os.Getenv("HINDSQL_BINARY"), "--store", filepath.Join(l.home, "clean", "store.duckdb"), "--format", "csv", sql)
	cmd.Env = append(os.Environ(), "HOME="+l.home, "TZ=UTC", "XDG_CONFIG_HOME="+l.home)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", sql, err, said.String())
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	must(t, err)
	return rows
}

func sqlURL(sql string) string { return "/sql?format=csv&sql=" + url.QueryEscape(sql) }

// pages returns the measured pages, by name.
func (l *load) pages(t *testing.T, client *http.Client, base string) map[string]string {
	t.Helper()
	refused := l.csv(t, client, base, "SELECT session_id, tool_use_id FROM rejections WHERE "+l.still()+" ORDER BY ALL LIMIT 1")
	largest := l.csv(t, client, base, "SELECT session_id FROM sessions WHERE "+l.still()+" AND session_id <> '"+longID+"' ORDER BY message_count DESC, session_id LIMIT 1")
	return map[string]string{
		"home": "/", "home, a week of the tree": "/?since=2026-08-17&until=2026-08-24", "home, all": "/?during=", "refusals, all": "/refusals?since=2020-01-01", "refusals": "/refusals", "sessions": "/sessions",
		"refusal": "/refusal/claude/" + url.PathEscape(refused[1][0]) + "/" + url.PathEscape(refused[1][1]), "session, the largest": "/session/claude/" + url.PathEscape(largest[1][0]),
		"session of 5,000 messages": "/session/claude/" + longID, "session of 5,000, its middle": "/session/claude/" + longID + "?from=2600",
		"search": "/search?q=connection+refused", "search, much": "/search?q=test", "compactions, all": "/compactions?since=2020-01-01", "interruptions, all": "/interruptions?since=2020-01-01",
		"clears, all": "/clears?since=2020-01-01", "approvals, all": "/approvals?since=2020-01-01", "query": "/query/rejections", "table": "/table/messages",
		"find in a session": "/session/claude/" + longID + "?find=cart", "sql": sqlURL("SELECT count(*) AS n FROM messages"),
	}
}

func (l *load) csv(t *testing.T, client *http.Client, base, sql string) [][]string {
	t.Helper()
	body := l.get(t, client, "sql of the test", base+sqlURL(sql))
	rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Errorf("%s: %v: %.300s", sql, err, body)
		return [][]string{{""}, {"", ""}}
	}
	return rows
}

// get loads an address, and records the time, or the error.
func (l *load) get(t testing.TB, client *http.Client, name, address string) []byte {
	began := time.Now()
	answer, err := client.Get(address)
	if err != nil {
		l.fail(name + ": " + err.Error())
		return nil
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	took := time.Since(began)
	if err != nil || answer.StatusCode != http.StatusOK {
		l.fail(fmt.Sprintf("%s: %s %v: %.200s", name, answer.Status, err, text(body)))
		return nil
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.took[name], l.size[name] = append(l.took[name], took), len(body)
	return body
}

func (l *load) fail(what string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.failed[what]++
}

// report logs how long each page took, and fails the test if any load failed.
func (l *load) report(t *testing.T, when string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(l.took)) {
		took := l.took[name]
		slices.Sort(took)
		at := func(part int) time.Duration {
			return took[min(len(took)*part/100, len(took)-1)].Round(time.Millisecond)
		}
		t.Logf("%s: %-32s %4d loads, p50 %8v, p95 %8v, longest %8v, %5d kB", when, name, len(took), at(50), at(95), took[len(took)-1].Round(time.Millisecond), l.size[name]>>10)
	}
	for what, n := range l.failed {
		t.Errorf("%s: %d × %s", when, n, what)
	}
	l.took, l.failed = map[string][]time.Duration{}, map[string]int{}
}

// idle logs the cost of an idle open page: the stream of changes.
func (l *load) idle(t *testing.T, s *process, client *http.Client, base string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	l.follow(t, ctx, client, base)
	time.Sleep(5 * time.Second) // earlier pages may still cause work
	before := s.ticks(t)
	time.Sleep(idleFor)
	t.Logf("an open page that nobody touches: %.1f %% of a processor for %v, %d MB resident", float64(s.ticks(t)-before)/idleFor.Seconds(), idleFor, s.resident(t))
}

// follow reads the stream of changes, as an open page does, until the context ends.
func (l *load) follow(t *testing.T, ctx context.Context, client *http.Client, base string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/live", http.NoBody)
	must(t, err)
	answer, err := client.Do(r) //nolint:bodyclose // the goroutine closes it
	must(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status)
	}
	go func() {
		defer answer.Body.Close()
		_, _ = io.Copy(io.Discard, answer.Body)
	}()
}

// ticks returns the processor time of the process, in hundredths of a second.
func (s *process) ticks(t *testing.T) (sum int) {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	must(t, err)
	_, after, _ := strings.Cut(string(stat), ") ")
	for _, field := range strings.Fields(after)[11:13] {
		n, err := strconv.Atoi(field)
		must(t, err)
		sum += n
	}
	return sum
}

// resident returns the memory of the process, in MB.
func (s *process) resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	must(t, err)
	n, err := strconv.Atoi(regexp.MustCompile(`VmRSS:\s+(\d+)`).FindStringSubmatch(string(status))[1])
	must(t, err)
	return n >> 10
}

// crowd lets eight clients load pages while logs grow. Another page stays open.
func (l *load) crowd(t *testing.T, s *process, base string, pages map[string]string) {
	ctx, stop := context.WithTimeout(context.Background(), crowdFor)
	defer stop()
	first := s.url
	client, _ := enter(t, first)
	l.follow(t, ctx, client, base)
	names := slices.Sorted(maps.Keys(pages))
	statements := slices.Sorted(maps.Keys(l.right))
	var all sync.WaitGroup
	all.Go(func() { l.grow(t, ctx) })
	for n := range 8 {
		client, _ := enter(t, first)
		all.Go(func() {
			seen := 0
			for i := n; ctx.Err() == nil; i++ {
				name := names[i%len(names)]
				l.get(t, client, name, base+pages[name])
				sql := statements[i%len(statements)]
				if rows := l.csv(t, client, base, sql); !slices.EqualFunc(rows, l.right[sql], slices.Equal) {
					t.Errorf("%s: other rows than those of a clean load: %d and %d", sql, len(rows), len(l.right[sql]))
				}
				rows := l.csv(t, client, base, "SELECT count(*) AS n FROM messages WHERE NOT ("+l.still()+")")
				now, err := strconv.Atoi(rows[1][0])
				if err != nil || now < seen {
					t.Errorf("%d messages after %d: %v", now, seen, err)
				}
				seen = now
			}
		})
	}
	all.Wait()
}

// grow appends whole lines, as agents do.
func (l *load) grow(t *testing.T, ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		at := n % len(l.logs)
		s := newScript(l.ids[at], "/home/dev/work/grown", time.Now())
		s.n = 1_000_000 + n
		s.prompt(fmt.Sprint("line ", n))
		f, err := os.OpenFile(l.logs[at], os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = io.WriteString(f, s.lines.String())
		must(t, err)
		must(t, f.Close())
		l.lines++
		time.Sleep(100 * time.Millisecond)
	}
}

// compare checks the row counts of all tables against a newly loaded store.
func (l *load) compare(t *testing.T, client *http.Client, base string) {
	t.Helper()
	time.Sleep(3 * time.Second) // pages may be two seconds old
	must(t, os.RemoveAll(filepath.Join(l.home, "clean")))
	for _, table := range []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "clears", "prompts", "problems", "sources"} {
		sql := "SELECT count(*) AS n FROM " + table
		if rows, want := l.csv(t, client, base, sql), l.clean(t, sql); !slices.EqualFunc(rows, want, slices.Equal) {
			t.Errorf("%s: %v, a clean load has %v", sql, rows, want)
		}
	}
	grown := l.csv(t, client, base, "SELECT count(*) AS n FROM messages WHERE text LIKE 'line %' AND NOT ("+l.still()+")")
	if grown[1][0] != strconv.Itoa(l.lines) {
		t.Errorf("%s of %d lines are there", grown[1][0], l.lines)
	}
	t.Logf("%d lines appended, all there", l.lines)
}
