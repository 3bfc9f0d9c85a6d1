package confined_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/confined"
	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/tables"
)

// collected runs a statement, and returns its columns and sorted rows, or its error.
func collected(s face, query string, args map[string]any) (list []string) {
	err := s.Query(context.Background(), query, args, func(r *result.Rows) error {
		set, err := result.Collect(r)
		list = append(list, fmt.Sprint(set.Columns))
		for _, row := range set.Rows {
			list = append(list, fmt.Sprint(row...))
		}
		slices.Sort(list)
		return err
	})
	if err != nil {
		list = append(list, err.Error())
	}
	return list
}

// TestSafeCopiesWhatIsNeeded: a worker that holds only what a statement reads gives the
// same answer as a worker with all rows and columns. The statements are all saved
// queries, views, columns and functions, and random ones.
func TestSafeCopiesWhatIsNeeded(t *testing.T) {
	t.Parallel()
	c := sampleHome(t)
	all, safe := open(t, safely(c, engine.Safe{})), open(t, safely(c, engine.Safe{}))
	must(t, confined.Fill(t.Context(), all.Store.Pool()))
	n := 0
	check := func(query string, args map[string]any) {
		t.Helper()
		if n++; n%whole.Or(1, 30) != 0 {
			return
		}
		must(t, confined.Empty(t.Context(), safe.Store.Pool()))
		if diff := cmp.Diff(collected(all, query, args), collected(safe, query, args)); diff != "" {
			t.Errorf("%s: (-all +needed) held %v\n%.2000s", query, confined.HeldColumns(safe.Store.Pool()), diff)
		}
	}
	saved, err := queries.All("")
	must(t, err)
	run := func(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
		err = all.Query(ctx, sql, args, func(r *result.Rows) (err error) {
			set, err = result.Collect(r)
			return err
		})
		return set, err
	}
	for _, q := range saved {
		args, err := q.Bind(t.Context(), run, nil)
		must(t, err)
		check(q.TypedSQL(), args)
	}
	for _, m := range tables.Macros() {
		check(strings.ReplaceAll(m.Example, " LIMIT 10", ""), nil) // rows of the same rank would be left out at random
	}
	for i, v := range tables.Shown() {
		check("FROM "+v.Name, nil)
		for j, column := range v.Columns {
			if (i+j)%whole.Or(1, 5) == 0 {
				check(fmt.Sprintf("SELECT %q, count(*) FROM %s GROUP BY ALL", column.Name, v.Name), nil)
			}
		}
	}
	for _, query := range []string{
		"SELECT count(*) FROM messages", "SUMMARIZE sessions", "DESCRIBE messages", "SELECT m FROM messages m", "SELECT 1", "SELEC 1", "SELECT nothing FROM messages",
		"FROM messages POSITIONAL JOIN sessions", "SELECT * EXCLUDE (text) FROM messages", "SELECT COLUMNS('.*_id') FROM tool_calls", "SELECT #1 FROM sessions",
		"PIVOT tool_calls ON status IN ('ok', 'error') USING count(*) GROUP BY agent", "SELECT count(*) FROM messages NATURAL JOIN sessions",
		"SELECT table_name, estimated_size FROM duckdb_tables() WHERE table_name = 'messages'", "UNPIVOT (SELECT agent, kind, role FROM messages) ON kind, role",
		"WITH x AS MATERIALIZED (FROM messages) SELECT count(a.kind) FROM x a JOIN x b USING (session_id)",
		"WITH RECURSIVE up AS (SELECT session_id FROM sessions UNION SELECT s.session_id FROM up JOIN sessions s ON s.parent_session_id = up.session_id) FROM up",
		"SELECT about FROM sessions s WHERE EXISTS (FROM tool_calls c WHERE c.session_id = s.session_id AND c.output LIKE '%error%')",
		"SELECT (SELECT max(text) FROM messages m WHERE m.session_id = s.session_id) FROM sessions s", "FROM sessions s, LATERAL (SELECT count(*) AS n FROM rejections r WHERE r.session_id = s.session_id)",
		"SELECT list_transform([1, 2], lambda x: x + (SELECT count(*) FROM clears))", "SELECT sum(output_tokens) OVER (PARTITION BY session_id ORDER BY message_index) FROM messages",
		"SELECT count(*) FROM store.main.messages", "SELECT text FROM messages USING SAMPLE 100 PERCENT", "SELECT count(*) FROM messages WHERE false", "SELECT name FROM report_runs", "SELECT count(*) FROM report_runs",
	} {
		check(query, nil)
	}
	g := questions{chance: rand.New(rand.NewPCG(44, 1))}
	for range whole.Or(250, 25) {
		check(g.query(), nil)
	}
}

// questions makes random statements over the tables.
type questions struct {
	chance *rand.Rand
	count  int
}

func (a *questions) table() (*tables.Table, string) {
	list := tables.Shown()
	a.count++
	return list[a.chance.IntN(len(list))], fmt.Sprintf("t%d", a.count)
}

func (a *questions) column(t *tables.Table, as string) string {
	return fmt.Sprintf("%s.%q", as, t.Columns[a.chance.IntN(len(t.Columns))].Name)
}

// condition is a condition on a row of a table.
func (a *questions) condition(t *tables.Table, as string) string {
	other, name := a.table()
	switch a.chance.IntN(4) {
	case 0:
		return a.column(t, as) + " IS NOT NULL"
	case 1:
		return fmt.Sprintf("CAST(%s AS VARCHAR) IN (SELECT CAST(%s AS VARCHAR) FROM %s %s)", a.column(t, as), a.column(other, name), other.Name, name)
	case 2:
		return fmt.Sprintf("EXISTS (FROM %s %s WHERE CAST(%s AS VARCHAR) = CAST(%s AS VARCHAR))", other.Name, name, a.column(other, name), a.column(t, as))
	}
	return fmt.Sprintf("CAST(%s AS VARCHAR) LIKE '%%e%%'", a.column(t, as))
}

// query is a statement whose rows don't depend on the order of rows.
func (a *questions) query() string {
	t, as := a.table()
	from, columns := t.Name+" "+as, []string{a.column(t, as), a.column(t, as)}
	if a.chance.IntN(3) == 0 {
		other, name := a.table()
		from += fmt.Sprintf(" LEFT JOIN (FROM %s LIMIT 1000000) %s ON CAST(%s AS VARCHAR) = CAST(%s AS VARCHAR)", other.Name, name, a.column(t, as), a.column(other, name))
		columns = append(columns, a.column(other, name))
	}
	where := " WHERE " + a.condition(t, as)
	switch a.chance.IntN(4) {
	case 0:
		return "SELECT count(*) FROM " + from + where
	case 1:
		return "SELECT DISTINCT " + strings.Join(columns, ", ") + " FROM " + from + where
	case 2:
		return fmt.Sprintf("WITH w AS (SELECT %s.* FROM %s%s) SELECT count(*), min(CAST(%q AS VARCHAR)) FROM w", as, from, where, t.Columns[a.chance.IntN(len(t.Columns))].Name)
	}
	return "SELECT count(DISTINCT " + columns[0] + "), max(CAST(" + columns[1] + " AS VARCHAR)) FROM " + from + where
}

// TestSafeCopiesNoMore: a count of refusals copies no text.
func TestSafeCopiesNoMore(t *testing.T) {
	t.Parallel()
	s := open(t, safely(sampleHome(t), engine.Safe{}))
	rows(t, s, "SELECT count(*) FROM rejections")
	want := map[string][]string{"rejections": {"is_copy", "is_inferred", "message_index", "source_id"}}
	if diff := cmp.Diff(want, confined.HeldColumns(s.Store.Pool())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestChangedLater: a refresh hashes those columns of the large tables that a link step or
// [engine.Store.NameRows] changes, and no others.
func TestChangedLater(t *testing.T) {
	t.Parallel()
	update := regexp.MustCompile(`(?s)\bUPDATE (messages|tool_calls)\b.*?;`)
	set := regexp.MustCompile(`(?m)(?:\bSET|,)\s+(\w+) = `)
	want := map[string]map[string]bool{"messages": {"host": true}, "tool_calls": {"host": true}}
	for _, link := range append(tables.Links(), tables.EstimateSteps()...) {
		for _, part := range link.Parts {
			if strings.Contains(part.SQL, "UPDATE sources SET loaded_at") {
				continue // the log's row in sources changes, too
			}
			for _, statement := range update.FindAllStringSubmatch(part.SQL+";", -1) {
				changes, _, _ := strings.Cut(statement[0], "\nFROM")
				for _, column := range set.FindAllStringSubmatch(changes, -1) {
					want[statement[1]][column[1]] = true
				}
			}
		}
	}
	for table, columns := range confined.ChangedLater() {
		got := map[string]bool{}
		for _, name := range columns {
			got[name] = true
		}
		if diff := cmp.Diff(want[table], got); diff != "" {
			t.Errorf("%s (-changed +hashed)\n%s", table, diff)
		}
	}
}
