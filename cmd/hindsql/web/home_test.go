package web_test

import (
	"context"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
					given, ok := part.Given(row, column)
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
	page := o.shows("/?during=", "At a glance", "What you refused", `href="/refusals?during="`, `<svg class="wide"`)
	links := regexp.MustCompile(`href="(/report/weekly/rows/[^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) < 30 {
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
	o.shows("/report/refusals?during=2026-10", "What you refused, and why")
	o.shows("/report/Refusals?during=2026-10", "What you refused, and why")
	o.fails("/?during=never", 400, "never: no period", `id="main"`)
	o.fails("/?since=tomorrow&until=today", 400, "since")
	o.fails("/report/weakly", 404, "did you mean weekly")
	o.fails("/report/weekly/rows/2/none", 404)
	o.fails("/report/weekly/rows/99/sessions", 404)
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

// behind returns what the rows behind a number amount to: the sum of the column with
// the number's name if they have it, otherwise the number of rows.
func behind(t *testing.T, run queries.Run, s *report.Section, column string, period report.Period, given map[string]string) (sum float64) {
	t.Helper()
	q, args, err := s.RowsBehind(context.Background(), run, column, period, given)
	must(t, err)
	if _, ok := args[queries.Top]; ok {
		args[queries.Top] = nil
	}
	set, err := run(context.Background(), q.Typed(), args)
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
