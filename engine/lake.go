package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Lake holds rows of many machines that lie elsewhere, in the tables of
// [tables.Landed]. A Store of a Lake has views in place of tables, reads no log, and
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
	l := &lakeRows{Lake: c.Lake}
	in, err := newInstance(ctx, c, l)
	if err != nil {
		return nil, err
	}
	l.in = in
	return &Store{kind: l, settings: in.settings, disks: in.disks}, nil
}

// lakeRows is the Store of a Lake. Its relations are attached once, and no file is
// held.
type lakeRows struct {
	*Lake
	in *instance
}

func (l *lakeRows) begin(ctx context.Context, of *Store, zone *time.Location) (place, error) {
	return l.in.connect(ctx, of.SyncedAt, zone)
}

func (*lakeRows) sync(context.Context, SyncOptions) (SyncReport, error) { return SyncReport{}, nil }

func (l *lakeRows) syncedAt() time.Time { return l.At }

func (l *lakeRows) detach(ctx context.Context) error { return l.in.detach(ctx) }

func (*lakeRows) stay(context.Context) func() { return func() {} }

func (l *lakeRows) open() (*instance, error) { return l.in, nil }

func (*lakeRows) writable() (*file, error) { return nil, errElsewhere }

func (l *lakeRows) close() error { return l.in.close() }

func (*lakeRows) hasLogs() bool { return false }

func (*lakeRows) wait(context.Context, *instance) error { return nil }

func (*lakeRows) isWanted(*instance) bool { return false }

func (*lakeRows) letGo(context.Context, *instance) error { return nil }

// attach makes views under the names of the store's tables. Everything built on the
// tables then works on the views. If several machines hold the same row, the row of one
// machine counts, and the others are copies. A copy's session id gets the suffix
// @MACHINE, as after a pull. Otherwise a join of copies by session id would find the
// rows of every machine. Tables that no machine pushes are empty.
func (l *lakeRows) attach(ctx context.Context, in *instance) error {
	ctx = context.WithoutCancel(ctx)
	if in.attached.is {
		return nil
	}
	for _, statement := range l.Open {
		if err := in.exec(ctx, statement); err != nil {
			return sqlError(ctx, err)
		}
	}
	if err := in.exec(ctx, "ATTACH IF NOT EXISTS ':memory:' AS store"); err != nil {
		return err
	}
	err := errors.Join(createTables(ctx, in.conn, in.worktrees()), l.describe(ctx, in))
	if err == nil {
		var ddl strings.Builder
		for _, t := range tables.All() {
			if query := l.query(t); query != "" {
				fmt.Fprintf(&ddl, "DROP TABLE %s.%s; CREATE VIEW %[1]s.%[2]s AS %[3]s;\n", StoreSchema, t.Name, query)
			}
		}
		if ddl.Len() > 0 { // if empty, machines have pushed no rows yet
			err = in.exec(ctx, ddl.String())
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", l.Name, sqlError(ctx, err)), in.exec(ctx, "DETACH DATABASE IF EXISTS store"))
	}
	in.attached.is = true
	return nil
}

// describe asks DuckDB for the columns of the relations.
func (l *lakeRows) describe(ctx context.Context, in *instance) error {
	for name, t := range l.Tables {
		if t.Columns != nil {
			continue
		}
		var err error
		t.Columns, err = oneColumn[string](ctx, in.conn, "SELECT column_name FROM (DESCRIBE FROM "+t.From+")")
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
	} else if t.View != "" || !slices.Contains(tables.Landed(), t) {
		return ""
	}
	from, ok := l.Tables[landed.Name]
	if !ok || from.From == "" {
		return ""
	}
	if l.Machines != 1 {
		counts = landed.Holder()
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
