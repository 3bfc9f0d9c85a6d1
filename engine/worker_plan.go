package engine

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// planner finds the columns that a statement reads, without running the statement. The
// planner's DuckDB has the worker's tables, always empty. Only the optimizers that leave
// out unused columns run, so a plan doesn't depend on rows.
type planner struct {
	open  func() (*sql.DB, error)
	mutex sync.Mutex
	plans map[string]needs // by statement and values of its parameters
}

// mostPlans is how many plans are kept.
const mostPlans = 500

// planning are the optimizers that a planner runs. Both look at the query only. Without
// cte_inlining, a WITH query would need all its columns.
var planning = []string{"unused_columns", "cte_inlining"}

// newPlanner starts to open a planner, with the SQL for tables, names and doors.
func newPlanner(ctx context.Context, o opening, register func(*sql.Conn) error) *planner {
	p := &planner{plans: map[string]needs{}}
	p.open = sync.OnceValues(func() (*sql.DB, error) {
		db, conn, err := openMemory(context.WithoutCancel(ctx), "spill", 1)
		if err != nil {
			return nil, err
		}
		if err := register(conn); err != nil {
			return nil, err
		}
		off, err := oneColumn[string](ctx, conn, "SELECT name FROM duckdb_optimizers()")
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
func (p *planner) needs(ctx context.Context, statement string, bound []any) (needs, error) {
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
	n = needs{}
	for i := range plan {
		if err := plan[i].read(n); err != nil {
			return nil, err
		}
	}
	if counts := tables.ListCounts("memory." + ourNames); statement != counts && namesTables(statement) {
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
	if _, err := conn.ExecContext(ctx, namesPath); err != nil {
		return nil, err
	}
	query := statement[explained(statement):]
	if shows.begin(query) {
		query = "SELECT * FROM (" + query + "\n)"
	}
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
var rowless = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`ASOF_JOIN BLOCKWISE_NL_JOIN COLUMN_DATA_SCAN CROSS_PRODUCT CTE CTE_SCAN DELIM_SCAN DUMMY_SCAN EMPTY_RESULT
		EXPRESSION_SCAN FILTER HASH_GROUP_BY HASH_JOIN IE_JOIN INOUT_FUNCTION LEFT_DELIM_JOIN LIMIT LIMIT_PERCENT NESTED_LOOP_JOIN ORDER_BY
		PARTITIONED_AGGREGATE PERFECT_HASH_GROUP_BY PIECEWISE_MERGE_JOIN PIVOT PROJECTION RECURSIVE_CTE RECURSIVE_KEY_CTE REC_CTE
		REC_CTE_SCAN RESERVOIR_SAMPLE RIGHT_DELIM_JOIN STREAMING_LIMIT STREAMING_SAMPLE STREAMING_WINDOW TOP_N UNGROUPED_AGGREGATE UNION
		UNNEST WINDOW`)
})

// rowlessFunctions are the functions whose rows come from their arguments or the
// catalog. DUCKDB_TABLES isn't one: it lists numbers of rows.
var rowlessFunctions = sync.OnceValue(func() map[string]bool {
	return sqltext.WordSet(`DUCKDB_COLUMNS DUCKDB_FUNCTIONS DUCKDB_KEYWORDS DUCKDB_SCHEMAS DUCKDB_TYPES DUCKDB_VIEWS
		GENERATE_SERIES JSON_EACH JSON_TREE RANGE SQL_AUTO_COMPLETE UNNEST`)
})

// read adds the columns that an operator and its children read. The error says that the
// operator isn't known.
func (o *operator) read(n needs) error {
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
func (o *operator) table(n needs) error {
	i := slices.IndexFunc(tables.Queried(), func(t *tables.Table) bool { return o.Info.Table == StoreSchema+"."+t.Name })
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

// holding is what a worker holds, as the safe Store said last.
type holding struct{ now atomic.Pointer[needs] }

func (h *holding) get() needs {
	if n := h.now.Load(); n != nil {
		return *n
	}
	return nil
}

// lacks returns the columns that a statement reads and the worker doesn't hold. If the
// planner can't tell what the statement reads, it reads everything.
func (w *worker) lacks(ctx context.Context, s *connection, statement string, args map[string]any) (needs, error) {
	held := w.holds.get()
	if everything().without(held) == nil {
		return nil, nil
	}
	bound, err := s.bind(ctx, statement, args)
	if err != nil {
		return nil, nil //nolint:nilerr // running the statement gives the reason
	}
	n, err := w.planner.needs(ctx, statement, bound)
	endIfBroken(err)
	if err != nil && ctx.Err() == nil {
		if _, err := s.parameters(ctx, statement); err != nil {
			return nil, nil //nolint:nilerr // the statement is wrong: running it gives the reason
		}
		n = maps.Clone(everything())
	}
	return n.without(held), ctx.Err()
}
