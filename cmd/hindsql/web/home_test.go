package web_test

import (
	"context"
	"fmt"
	"html"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/queries/report"
	"hindsql/readers/sample"
)

// TestRowsBehindNumbers checks each number in the built-in reports. The page behind the
// number must have as many rows as the number, or rows that add up to the number.
func TestRowsBehindNumbers(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	folder, err := sample.Write(t.TempDir())
	must(t, err)
	h := &home{folder: folder, own: t.TempDir()}
	ctx := context.Background()
	st, err := engine.Open(ctx, h.config())
	must(t, err)
	defer st.Close()
	_, err = st.Sync(ctx, engine.SyncOptions{})
	must(t, err)
	session, err := st.Session(ctx)
	must(t, err)
	defer session.Close()
	run := func(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
		err = session.Query(ctx, sql, args, func(rows *result.Rows) (err error) {
			set, err = result.Collect(rows)
			return err
		})
		return set, err
	}
	saved, err := queries.All("")
	must(t, err)
	reports, err := report.All(filepath.Join(h.own, "none"), saved)
	must(t, err)
	ends, err := run(ctx, "SELECT min(timestamp), max(timestamp) FROM messages", nil)
	must(t, err)
	period := report.Period{Since: ends.Rows[0][0].(time.Time), Until: ends.Rows[0][1].(time.Time).Add(time.Second)}
	numbers := 0
	for _, r := range reports {
		for i := range r.Sections {
			r.Sections[i].Period = ""
		}
		d, err := report.Run(ctx, r, period, run)
		must(t, err)
		for _, part := range d.Parts {
			for column := range part.Behind {
				at := slices.IndexFunc(part.Columns, func(c result.Column) bool { return c.Name == column })
				if at < 0 {
					t.Errorf("%s, %s: no column %s", r.Name, part.Title, column)
					continue
				}
				for _, row := range part.Rows {
					given, ok := part.ValuesBehind(row, column)
					if !ok || float(row[at]) == 0 && len(part.Rows) > 20 { // skips zeros of many empty days
						continue
					}
					numbers++
					t.Run(fmt.Sprintf("%s, %s, %s of %v", r.Name, part.Title, column, given), func(t *testing.T) {
						whole.Most(t, numbers, 10, "each number")
						got := behind(t, run, &r.Sections[part.Number-1], column, period, given)
						if want := float(row[at]); math.Abs(got-want) > 0.06 {
							t.Errorf("rows for %v, want %v", got, want)
						}
					})
				}
			}
		}
	}
	if numbers < 30 {
		t.Errorf("only %d numbers were looked at", numbers)
	}
}

// TestHome checks the report of a range, with links to the rows behind its numbers.
func TestHome(t *testing.T) {
	whole.Test(t, "loads three homes, 2.7 s of processor time")
	t.Parallel()
	o := onSample(t)
	page := o.shows("/?during=", "At a glance", "What you refused", `href="/refusals?during="`, `<svg class="wide"`, `href="/report/weekly?during="`)
	last := 0
	for _, part := range []string{"In short", "A year of days", "What you refused", "When you worked", "Projects", "Sessions", "What to do", "Reports of this period"} {
		at := strings.Index(page, ">"+part+"</h2>")
		if at < last {
			t.Errorf("%s stands at %d, the part before it at %d", part, at, last)
		}
		last = at
	}
	if n := strings.Count(page, `<article class="event">`); n != 5 {
		t.Errorf("%d refusals, want the newest five", n)
	}
	links := regexp.MustCompile(`href="(/report/weekly/rows/[^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) < 20 {
		t.Fatalf("only %d numbers lead to rows", len(links))
	}
	for i, l := range links[:10] {
		t.Run(l[1], func(t *testing.T) {
			whole.Most(t, i, 5, "the rows behind ten numbers")
			(&site{t, o.address, o.browser}).shows(html.UnescapeString(l[1]), "SQL", "<table")
		})
	}
	o.shows("/?during=2026-10", "2026-10-01 to 2026-10-31")
	o.shows("/?since=2026-10-19&until=2026-10-20", "2026-10-19<")
	o.shows("/?since=2026-10-16&until=2026-10-23", "Compared with 2026-10-09 to 2026-10-15.", `class="change">was `)
	o.shows("/report/weekly?during=2026-10", "The week with your agents", ">Tokens</h2>", ">What failed</h2>", ">Refusals over time</h2>", `<a href="/report/weekly?during=2026-10" aria-current="page">`)
	o.shows("/report/refusals?during=2026-10", "What you refused, and why")
	o.shows("/report/Refusals?during=2026-10", "What you refused, and why")
	o.fails("/?during=never", 400, "never: no period", `id="main"`)
	o.fails("/?since=tomorrow&until=today", 400, "since")
	o.fails("/report/weakly", 404, "did you mean weekly")
	o.fails("/report/weekly/rows/2/none", 404)
	o.fails("/report/weekly/rows/99/sessions", 404)
}

// TestHomeComparesWhole checks that the first page shows no change from a period of which
// not all rows are loaded.
func TestHomeComparesWhole(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	for path, why := range map[string]string{
		"/?since=2026-10-08&until=2026-10-15": "Not compared with the time before: the oldest message is of 2026-10-05",
		"/?during=":                           "Hours are those",
	} {
		if page := o.shows(path, why); strings.Contains(page, `class="change"`) || strings.Contains(page, "Compared with") {
			t.Errorf("%s shows a change: %s", path, page)
		}
	}
}

// TestHomeWithoutMessages checks the first page of a period without messages: it names
// the newest day, and draws no empty card.
func TestHomeWithoutMessages(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	page := o.shows("/?during=2026-11-01", `no messages. The newest are of <a href="/?during=2026-10-2`, "A year of days")
	for _, part := range []string{">What you refused</h2>", ">When you worked</h2>", ">Projects</h2>", ">Sessions</h2>", "Nothing in this period"} {
		if strings.Contains(page, part) {
			t.Errorf("an empty period has %s", part)
		}
	}
	o.shows("/?during=2024", `aria-label="messages a day, 2024-01-`, `aria-label="messages a day, 2024-0`, "0 days with messages", "before the oldest message")
}

// TestDays checks that the year counts each day's messages as SQL does, in a time zone
// whose days begin at a quarter of an hour in UTC, and that a day leads to its page.
func TestDays(t *testing.T) {
	t.Parallel()
	h := sampleHome(t)
	h.timezone = "Asia/Kathmandu"
	s, err := h.server()
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	o := open(t, s)
	page := o.shows("/?during=2026-10")
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`<td><a href="/\?during=([^"]*)">[^<]*</a></td><td class="num">([\d,]+)</td>`).FindAllStringSubmatch(page, -1) {
		got[m[1]] = m[2]
	}
	set, err := collect(h, "SELECT strftime(local_day(timestamp), '%Y-%m-%d'), count(*)::VARCHAR FROM messages WHERE timestamp IS NOT NULL GROUP BY ALL")
	must(t, err)
	want := map[string]string{}
	for _, row := range set.Rows {
		want[row[0].(string)] = row[1].(string)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
		t.Errorf("the days of %d (-want +got)\n%s", len(want), diff)
	}
	for i, name := range slices.Sorted(maps.Keys(want)) {
		if i%whole.Or(1, 10) != 0 {
			continue
		}
		page := o.shows("/?during="+name, "aria-current=\"date\"", name+"<")
		if strings.Contains(page, "no messages") {
			t.Errorf("the page of %s says that there are no messages", name)
		}
	}
}

// TestNoLogs checks the first page of an empty store: which folders were searched, and
// what to do.
func TestNoLogs(t *testing.T) {
	t.Parallel()
	h := &home{folder: t.TempDir(), own: t.TempDir(), every: time.Millisecond}
	must(t, os.MkdirAll(filepath.Join(h.folder, ".codex"), 0o700))
	s, err := h.server()
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	o := open(t, s)
	page := o.shows("/", "No logs found", "hindsql web --sample", "hindsql doctor", "<td>Claude Code</td><td><code>~/.claude</code></td><td>missing</td>",
		"<td>Codex</td><td><code>~/.codex</code></td><td>no logs in it</td>")
	if strings.Contains(page, "In short") {
		t.Error("the page of an empty store has figures")
	}
	path := filepath.Join(h.folder, ".claude", "projects", "-new", "0f5b1c9e-0000-4000-8000-000000000001.jsonl")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(fmt.Sprintf(`{"type":"user","uuid":"u1","sessionId":"0f5b1c9e-0000-4000-8000-000000000001","cwd":"/new","version":"2.1.23","userType":"external","timestamp":%q,"message":{"role":"user","content":"brand new"}}`+"\n", time.Now().UTC().Format(time.RFC3339))), 0o600))
	o.shows("/?during=7d", "In short", "1 day with messages")
}

// TestOwnReportRunsSafely checks that a report written by the user runs in the safe
// store, because its file may contain any SQL.
func TestOwnReportRunsSafely(t *testing.T) {
	t.Parallel()
	h := sampleHome(t)
	must(t, os.MkdirAll(filepath.Join(h.own, "reports"), 0o700))
	must(t, os.WriteFile(filepath.Join(h.own, "reports", "theirs.toml"), []byte("title = \"Mine\"\n[[section]]\ntitle = \"One\"\nsql = \"FROM read_text('/etc/passwd')\"\n"), 0o600))
	s, err := h.server()
	must(t, err)
	o := open(t, s)
	status, page := o.get("/report/theirs")
	if status != 400 || strings.Contains(page, "root:") || !strings.Contains(page, "safe") {
		t.Errorf("%d %s", status, page)
	}
}

// TestReference checks that an id leads to its session, for any agent.
func TestReference(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	o.fails("/id/none-such", 404, "none-such")
	o.fails("/id/0", 300, "sessions have an id that begins so")
}

// collect returns the rows of a statement on a home's store.
func collect(h *home, sql string) (set result.Set, err error) {
	ctx := context.Background()
	st, err := engine.Open(ctx, h.config())
	if err != nil {
		return set, err
	}
	defer st.Close()
	session, err := st.Session(ctx)
	if err != nil {
		return set, err
	}
	defer session.Close()
	err = session.Query(ctx, sql, nil, func(rows *result.Rows) (err error) {
		set, err = result.Collect(rows)
		return err
	})
	return set, err
}

// behind returns what the rows behind a number amount to: the sum of the column with
// the number's name if they have it, otherwise the number of rows.
func behind(t *testing.T, run queries.Run, s *report.Section, column string, period report.Period, given map[string]string) (sum float64) {
	t.Helper()
	q, args, err := s.RowsBehind(context.Background(), run, column, period, given)
	must(t, err)
	if _, ok := args[queries.Top]; ok {
		args[queries.Top] = nil
	}
	set, err := run(context.Background(), q.TypedSQL(), args)
	must(t, err)
	at := slices.IndexFunc(set.Columns, func(c result.Column) bool { return c.Name == column })
	if at < 0 {
		return float64(len(set.Rows))
	}
	for _, row := range set.Rows {
		sum += float(row[at])
	}
	return sum
}

func float(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}
