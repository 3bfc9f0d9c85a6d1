package confined

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"hindsql/engine/duck"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// columnSet are the columns that a statement reads, by table of [tables.Queried]. A table
// without columns is read for its number of rows.
type columnSet map[string][]string

// everything returns all columns of all tables that a worker may hold.
var everything = sync.OnceValue(func() columnSet {
	n := columnSet{}
	for _, t := range tables.Queried() {
		n.add(t.Name, tables.Names(t.Columns)...)
	}
	return n
})

// add adds a table and some columns.
func (n columnSet) add(table string, columns ...string) {
	all := append(slices.Clone(n[table]), columns...)
	slices.Sort(all)
	n[table] = slices.Compact(all)
}

// minus returns the needs that are missing in had; nil if nothing is missing.
func (n columnSet) minus(had columnSet) (rest columnSet) {
	for table, columns := range n {
		held, is := had[table]
		missing := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return slices.Contains(held, name) })
		if is && len(missing) == 0 {
			continue
		}
		if rest == nil {
			rest = columnSet{}
		}
		rest[table] = missing
	}
	return rest
}

// hasLong reports whether the needs have columns with long texts.
func (n columnSet) hasLong() bool {
	return slices.ContainsFunc(tables.Queried(), func(t *tables.Table) bool { return slices.ContainsFunc(n[t.Name], t.IsLong) })
}

// withoutNewTexts returns the needs, but of the columns with long texts only the held ones.
func (n columnSet) withoutNewTexts(held columnSet) columnSet {
	rest := maps.Clone(n)
	for _, t := range tables.Queried() {
		if columns, is := n[t.Name]; is {
			rest[t.Name] = slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return t.IsLong(name) && !slices.Contains(held[t.Name], name) })
		}
	}
	return rest
}

// plus returns the needs and those of a statement, as far as such tables and columns
// exist. A table whose columns are wanted for the second time gets all its short columns
// at once: each new column costs a copy of the table.
func (n columnSet) plus(more columnSet) columnSet {
	next := maps.Clone(n)
	if next == nil {
		next = columnSet{}
	}
	for _, t := range tables.Queried() {
		columns, wanted := more[t.Name]
		if !wanted {
			continue
		}
		_, again := next[t.Name]
		next.add(t.Name, keyColumns(t)...)
		for _, c := range t.Columns {
			if slices.Contains(columns, c.Name) || again && !t.IsLong(c.Name) {
				next.add(t.Name, c.Name)
			}
		}
	}
	return next
}

// keyColumns returns the columns by which rows of a table are replaced.
func keyColumns(t *tables.Table) []string {
	return slices.DeleteFunc([]string{"source_id", "message_index"}, func(name string) bool { return !t.Has(name) })
}

// mostAsked is how often a worker may ask for columns before it runs a statement. Once
// is enough, unless other statements end the worker.
const mostAsked = mostRuns * mostCopies

// callWithColumns makes a request until the worker lacks no columns for it. ask makes a
// call, and returns what the worker lacks.
func (c *Pool) callWithColumns(ctx context.Context, q *request, ask func() (*worker, columnSet, error)) error {
	for range mostAsked {
		w, lacks, err := ask()
		if q.missing = lacks; err != nil || len(lacks) == 0 {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		w.began.Add(-1) // no statement ran
	}
	return errors.New("safe: the worker lacks rows that it was given; ask again")
}

// planner finds the columns that a statement reads, without running the statement. The
// planner's DuckDB has the worker's tables, always empty. Only the optimizers that leave
// out unused columns run, so a plan doesn't depend on rows.
type planner struct {
	open  func() (*sql.DB, error)
	mutex sync.Mutex
	plans map[string]columnSet // by statement and values of its parameters
}

// mostPlans is how many plans are kept.
const mostPlans = 500

// planning are the optimizers that a planner runs. Both look at the query only. Without
// cte_inlining, a WITH query would need all its columns.
var planning = []string{"unused_columns", "cte_inlining"}

// newPlanner starts to open a planner, with the SQL for tables, names and doors.
func newPlanner(ctx context.Context, o openRequest, register func(*sql.Conn) error) *planner {
	p := &planner{plans: map[string]columnSet{}}
	p.open = sync.OnceValues(func() (*sql.DB, error) {
		db, conn, err := duck.OpenMemory(context.WithoutCancel(ctx), "spill", 1)
		if err != nil {
			return nil, err
		}
		if err := register(conn); err != nil {
			return nil, err
		}
		off, err := duck.Column[string](ctx, conn, "SELECT name FROM duckdb_optimizers()")
		if err != nil {
			return nil, err
		}
		off = slices.DeleteFunc(off, func(name string) bool { return slices.Contains(planning, name) })
		settings := "SET threads = 1; SET disabled_optimizers = " + sqltext.Literal(strings.Join(off, ","))
		for _, ddl := range []string{settings, "ATTACH ':memory:' AS store", o.Tables, o.Names, o.Doors} {
			if _, err := conn.ExecContext(ctx, ddl); err != nil {
				return nil, err
			}
		}
		return db, nil // conn stays open: the database in memory lives as long
	})
	go func() { _, _ = p.open() }()
	return p
}

// needs returns the columns that a statement reads. The statement has passed the allow
// list. bound are the values of its parameters.
func (p *planner) needs(ctx context.Context, statement string, bound []any) (columnSet, error) {
	db, err := p.open()
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s\x00%v", statement, bound)
	p.mutex.Lock()
	n, known := p.plans[key]
	p.mutex.Unlock()
	if known {
		return n, nil
	}
	plan, err := p.plan(ctx, db, statement, bound)
	if err != nil {
		return nil, err
	}
	n = columnSet{}
	for i := range plan {
		if err := plan[i].read(n); err != nil {
			return nil, err
		}
	}
	if counts := tables.ListCounts("memory." + duck.Names); statement != counts && namesTables(statement) {
		counted, err := p.needs(ctx, counts, nil)
		if err != nil {
			return nil, err
		}
		for table, columns := range counted {
			n.add(table, columns...)
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.plans) >= mostPlans {
		clear(p.plans)
	}
	p.plans[key] = n
	return n, nil
}

// namesTables reports whether a statement may name the list of tables, also in quotes,
// which counts the rows of all tables. A plan doesn't tell.
func namesTables(statement string) bool {
	return slices.ContainsFunc(sqltext.CodeOf(statement), func(t sqltext.Token) bool {
		return strings.Trim(strings.ToLower(t.Text), `"'$e`) == tables.ListOfTables
	})
}

func (p *planner) plan(ctx context.Context, db *sql.DB, statement string, bound []any) (plan []operator, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, duck.NamesPath); err != nil {
		return nil, err
	}
	query := duck.AsQuery(statement[explainedAt(statement):])
	var key, text string
	if err := conn.QueryRowContext(ctx, "EXPLAIN (FORMAT json) "+query, bound...).Scan(&key, &text); err != nil {
		return nil, err
	}
	return plan, json.Unmarshal([]byte(text), &plan)
}

// operator is a part of DuckDB's plan of a statement.
type operator struct {
	Name     string     `json:"name"`
	Children []operator `json:"children"`
	Info     struct {
		Table       string          `json:"Table"`
		Function    string          `json:"Function"`
		Projections json.RawMessage `json:"Projections"`
	} `json:"extra_info"`
}

// rowless are the operators that read no table: they read their children, or values.
// POSITIONAL_SCAN isn't one: its plan doesn't show the tables below. TestRowless compares
// the list with the linked DuckDB.
var rowless = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`ASOF_JOIN BLOCKWISE_NL_JOIN COLUMN_DATA_SCAN CROSS_PRODUCT CTE CTE_SCAN DELIM_SCAN DUMMY_SCAN EXPRESSION_SCAN
		FILTER HASH_GROUP_BY HASH_JOIN IE_JOIN INOUT_FUNCTION LEFT_DELIM_JOIN LIMIT_PERCENT NESTED_LOOP_JOIN ORDER_BY PERFECT_HASH_GROUP_BY
		PIECEWISE_MERGE_JOIN PIVOT PROJECTION REC_CTE REC_CTE_SCAN REC_REC_CTE_SCAN RESERVOIR_SAMPLE STREAMING_LIMIT STREAMING_SAMPLE
		STREAMING_WINDOW UNGROUPED_AGGREGATE UNION UNNEST WINDOW`)
})

// rowlessFunctions are the functions whose rows come from their arguments or the
// catalog. DUCKDB_TABLES isn't one: it lists numbers of rows.
var rowlessFunctions = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`DUCKDB_COLUMNS DUCKDB_FUNCTIONS DUCKDB_KEYWORDS DUCKDB_SCHEMAS DUCKDB_TYPES DUCKDB_VIEWS
		GENERATE_SERIES JSON_EACH JSON_TREE RANGE SQL_AUTO_COMPLETE UNNEST`)
})

// read adds the columns that an operator and its children read. The error says that the
// operator isn't known.
func (o *operator) read(n columnSet) error {
	name := strings.TrimSpace(o.Name)
	switch {
	case o.Info.Table != "":
		if err := o.table(n); err != nil {
			return err
		}
	case o.Info.Function != "":
		if !rowlessFunctions()[strings.TrimSpace(o.Info.Function)] {
			return fmt.Errorf("function %s of a plan: not known to read no table", o.Info.Function)
		}
	case !rowless()[name]:
		return fmt.Errorf("operator %s of a plan: not known to read no table", name)
	}
	for i := range o.Children {
		if err := o.Children[i].read(n); err != nil {
			return err
		}
	}
	return nil
}

// table adds the columns that a scan of a table reads.
func (o *operator) table(n columnSet) error {
	i := slices.IndexFunc(tables.Queried(), func(t *tables.Table) bool { return o.Info.Table == duck.StoreSchema+"."+t.Name })
	if i < 0 {
		return fmt.Errorf("table %s of a plan: not known", o.Info.Table)
	}
	t := tables.Queried()[i]
	var columns []string
	var one string
	if len(o.Info.Projections) > 0 && json.Unmarshal(o.Info.Projections, &columns) != nil {
		if err := json.Unmarshal(o.Info.Projections, &one); err != nil {
			return err
		}
		if one != "" { // empty for a number of rows
			columns = []string{one}
		}
	}
	for _, name := range columns {
		if !slices.Contains(everything()[t.Name], name) {
			return fmt.Errorf("column %s of table %s of a plan: not known", name, t.Name)
		}
	}
	n.add(t.Name, columns...)
	return nil
}

// CheckRows is of [duck.Rules]. It tells the call which columns the query reads and the
// worker doesn't hold. If the planner can't tell what the query reads, it reads everything.
func (s *session) CheckRows(ctx context.Context, query string, args map[string]any) error {
	var held columnSet
	if now := s.w.holds.Load(); now != nil {
		held = *now
	}
	if everything().minus(held) == nil {
		return nil
	}
	bound, err := s.Bind(ctx, query, args)
	if err != nil {
		return nil //nolint:nilerr // running the query gives the reason
	}
	n, err := s.w.planner.needs(ctx, query, bound)
	duck.EndIfBroken(err)
	if err != nil && ctx.Err() == nil {
		if _, err := s.Parameters(ctx, query); err != nil {
			return nil //nolint:nilerr // the query is wrong: running it gives the reason
		}
		n = everything()
	}
	lacks := n.minus(held)
	if lacks == nil {
		return ctx.Err()
	}
	*ctx.Value(lacksKey{}).(*columnSet) = lacks
	return cmp.Or(ctx.Err(), errLacks)
}
