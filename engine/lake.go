package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/engine/duck"
	"hindsql/engine/load"
	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// Lake holds rows of many machines that lie elsewhere, in the tables of
// [tables.Pushed]. A Store of a Lake has views in place of tables, reads no log, and
// writes nothing.
type Lake struct {
	Name     string    // for messages; without keys
	At       time.Time // time of the rows; zero if unknown
	Open     []string  // statements that make the relations readable
	Machines int       // number of machines with rows; with one machine no row stands twice; zero if unknown
	Tables   map[string]Landed
}

// Landed is a table of a lake.
type Landed struct {
	From    string   // SQL of a relation
	Columns []string // columns of the relation; pushes of older versions may lack some. If nil, DuckDB is asked, and a missing relation is empty
}

func openLake(ctx context.Context, c Config) (*Store, error) {
	if c.Safe != nil {
		return nil, errors.New("safe: not on rows that lie elsewhere; pull them")
	}
	st := newStore(c)
	l := &lakeBackend{Lake: c.Lake}
	st.backend = l
	functions := duck.Functions{
		Line: func(context.Context, []driver.Value) (any, error) { return nil, nil }, // no log is read
		List: func(_ context.Context, name string) (string, error) { return st.list(name, true) },
	}
	var err error
	l.db, err = duck.OpenElsewhere(ctx, c.loads().Config, functions, l.attach)
	return st, err
}

// lakeBackend is the Store of a Lake. Its relations are attached once, and no file is
// held.
type lakeBackend struct {
	*Lake
	db *duck.DB
}

func (l *lakeBackend) begin(ctx context.Context, zone *time.Location) (executor, error) {
	return l.db.Connect(ctx, l.syncedAt, zone, nil)
}

func (*lakeBackend) sync(context.Context, SyncOptions) (SyncReport, error) { return SyncReport{}, nil }

func (l *lakeBackend) syncedAt() time.Time { return l.At }

func (l *lakeBackend) detach(ctx context.Context) error { return l.db.Detach(ctx) }

func (*lakeBackend) stay(context.Context) func() { return func() {} }

func (l *lakeBackend) open() (*duck.DB, error) { return l.db, nil }

func (*lakeBackend) writable() (*load.File, error) { return nil, errElsewhere }

func (l *lakeBackend) close() error { return l.db.Close() }

// attach makes views under the names of the store's tables. Everything built on the
// tables then works on the views. If several machines hold the same row, the row of one
// machine counts, and the others are copies. A copy's session id gets the suffix
// @MACHINE, as after a pull. Otherwise a join of copies by session id would find the
// rows of every machine. Tables that no machine pushes are empty.
func (l *lakeBackend) attach(ctx context.Context, db *duck.DB) error {
	for _, statement := range l.Open {
		if err := db.Exec(ctx, statement); err != nil {
			return duck.ErrorOf(ctx, err)
		}
	}
	if err := db.Exec(ctx, "ATTACH IF NOT EXISTS ':memory:' AS store"); err != nil {
		return err
	}
	made := db.Exec(ctx, duck.TablesDDL(readers.WorktreesOf(db.Config().Readers)))
	err := errors.Join(made, l.describe(ctx, db))
	if err == nil {
		var ddl strings.Builder
		for _, t := range tables.All() {
			if query := l.query(t); query != "" {
				fmt.Fprintf(&ddl, "DROP TABLE %s.%s; CREATE VIEW %[1]s.%[2]s AS %[3]s;\n", StoreSchema, t.Name, query)
			}
		}
		if ddl.Len() > 0 { // if empty, machines have pushed no rows yet
			err = db.Exec(ctx, ddl.String())
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", l.Name, duck.ErrorOf(ctx, err)), db.Exec(ctx, "DETACH DATABASE IF EXISTS store"))
	}
	return nil
}

// describe asks DuckDB for the columns of the relations.
func (l *lakeBackend) describe(ctx context.Context, db *duck.DB) error {
	for name, t := range l.Tables {
		if t.Columns != nil {
			continue
		}
		err := db.Each(ctx, "SELECT column_name FROM (DESCRIBE FROM "+t.From+")", func(scan func(...any) error) error {
			var column string
			err := scan(&column)
			t.Columns = append(t.Columns, column)
			return err
		})
		if err != nil && strings.Contains(err.Error(), "does not exist") {
			t, err = Landed{}, nil
		}
		if err != nil {
			return err
		}
		l.Tables[name] = t
	}
	return nil
}

// query returns the SQL of a store table's rows; empty if the table gets no view.
func (l *Lake) query(t *tables.Table) string {
	landed, counts := t, "machine"
	if t.Name == "file_kinds" { // summed up in record_kinds; no machine pushes file_kinds
		landed = tables.Named("record_kinds")
	} else if t.View != "" || !slices.Contains(tables.Pushed(), t) {
		return ""
	}
	from, ok := l.Tables[landed.Name]
	if !ok || from.From == "" {
		return ""
	}
	if l.Machines != 1 {
		counts = landed.CountedMachineSQL()
	}
	counts = ofRelation(counts, landed)
	list, copies := make([]string, len(t.Columns)), false
	for i, c := range t.Columns {
		name := sqltext.Identifier(c.Name)
		switch {
		case c.Name == "is_copy":
			copies = true
			list[i] = "t.machine IS DISTINCT FROM t.of_machine AS is_copy"
		case c.Name == "session_id" && l.Machines != 1 && t.HasCopies():
			list[i] = "CASE WHEN t.machine IS DISTINCT FROM t.of_machine THEN t.session_id || '@' || t.machine ELSE t.session_id END AS session_id"
		case slices.Contains(from.Columns, c.Name):
			list[i] = "CAST(t." + name + " AS " + c.Type + ") AS " + name
		default:
			list[i] = "CAST(NULL AS " + c.Type + ") AS " + name
		}
	}
	query := fmt.Sprintf("SELECT %s FROM (SELECT r.*, %s AS of_machine FROM %s AS r) AS t", strings.Join(list, ", "), counts, from.From)
	if !copies {
		query += " WHERE t.machine IS NOT DISTINCT FROM t.of_machine"
	}
	return query
}

// ofRelation prefixes a table's columns with r. DuckDB would take a plain name for the
// parameter of a function that queries the view, such as cost(session_id).
func ofRelation(expression string, t *tables.Table) string {
	var b strings.Builder
	for token := range sqltext.Tokens(expression) {
		name := token.Text
		if name == "machine" || t.Has(name) {
			b.WriteString("r.")
		}
		b.WriteString(name)
	}
	return b.String()
}
