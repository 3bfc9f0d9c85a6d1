package load

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"hindsql/engine/duck"
	"hindsql/engine/store"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Salvage reports what a full sync saved of a damaged store.
type Salvage struct {
	Aside  string      // new path of the damaged file and its write-ahead log
	Err    error       // why hindsql could read no part of the file; nil if it could
	Logs   int         // number of saved logs; they exist only in the store
	Saved  []TableRows // rows of the saved logs
	Lost   []TableRows // unreadable rows; rows of existing logs were loaded from the logs
	Holes  []TableRows // by table.column: rows saved without their value; rows of existing logs were loaded from the logs
	Absent int64       // messages once in the saved logs, and lost now
}

// TableRows is a number of rows.
type TableRows struct {
	Table string // or table.column
	Rows  int64
}

// salvager copies the readable rows of a damaged store, attached as old, into a sound
// store, attached as saved. Each statement is a separate transaction.
type salvager struct {
	l      *loader
	f      *File
	from   string // the damaged file, or SavedBare
	loaded []int64
	report *Salvage
}

// salvage copies the rows of sources that aren't loaded anew. It copies whole tables.
// If a table can't be read, salvage copies ranges of rows, and then single columns.
func (f *File) salvage(ctx context.Context, p plan, report *Salvage) error {
	s := &salvager{f: f, from: f.at.Path, report: report}
	for i := range p.load {
		s.loaded = append(s.loaded, p.load[i].id)
	}
	var err error
	if s.l, err = openLoader(ctx, f.at, f.Config()); err != nil {
		return err
	}
	defer func() { s.l.close() }()
	defer os.Remove(f.at.SavedBare())
	if err := s.open(ctx); err != nil {
		if !store.IsDamage(err, true) {
			return err
		}
		report.Err = err
		return nil
	}
	for _, t := range tables.Loaded() {
		if err := s.copyTable(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return cmp.Or(s.nameLost(ctx), s.countSaved(ctx), s.l.exec(context.WithoutCancel(ctx), "DETACH saved"))
}

// open attaches both files. It leaves out an unreadable write-ahead log.
func (s *salvager) open(ctx context.Context) error {
	at := s.f.at
	err := s.l.attachOld(ctx, s.from)
	if store.IsDamage(err, true) && s.from == at.Path && store.Exists(at.WAL()) && os.Link(s.from, at.SavedBare()) == nil {
		s.from = at.SavedBare()
		if err = s.restart(ctx); err == nil {
			err = s.l.attachOld(ctx, s.from)
		}
	}
	if err == nil {
		err = s.l.exec(ctx, fmt.Sprintf("ATTACH %s AS saved (%s)", sqltext.Literal(at.Saved()), duck.AttachOptions))
	}
	return cmp.Or(err, s.l.exec(ctx, "CREATE OR REPLACE TEMP TABLE loading (source_id BIGINT)"), s.insertLoadedIDs(ctx))
}

func (s *salvager) insertLoadedIDs(ctx context.Context) error {
	for some := range slices.Chunk(s.loaded, 1000) {
		if err := s.l.exec(ctx, "INSERT INTO temp.main.loading VALUES "+sqltext.Numbers(some, "(%d)")); err != nil {
			return err
		}
	}
	return nil
}

// restart restarts DuckDB, because it answers no more statements after some errors.
func (s *salvager) restart(ctx context.Context) error { return s.l.reopen(ctx, nil) }

// try runs a statement. ok is false if the statement read damaged bytes.
func (s *salvager) try(ctx context.Context, statement string) (ok bool, err error) {
	err = s.l.exec(ctx, statement)
	if !store.IsDamage(err, true) {
		return err == nil, err
	}
	if s.l.exec(ctx, "SELECT 1") == nil && s.l.exec(ctx, "FROM saved."+tables.Schema+".store_info") == nil {
		return false, nil
	}
	return false, cmp.Or(s.restart(ctx), s.open(ctx))
}

// rowRange is a range of a table's rowids: from is included, to is not.
type rowRange struct{ from, to int64 }

func (r rowRange) where() string { return fmt.Sprintf("rowid >= %d AND rowid < %d", r.from, r.to) }

// copyTable copies the readable rows of a table. A table that isn't in the old store is
// skipped. If the table's columns are unreadable, its rows are lost.
func (s *salvager) copyTable(ctx context.Context, t *tables.Table) error {
	if _, err := s.try(ctx, fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS saved.%[1]s; CREATE TABLE IF NOT EXISTS saved.%[1]s.store_info (i INT)", tables.Schema)); err != nil {
		return err
	}
	columns, err := storedColumns(ctx, s.l, "old", t.Name)
	if err != nil || len(columns) == 0 {
		return err
	}
	ok, err := s.try(ctx, fmt.Sprintf("CREATE TABLE saved.%[1]s.%[2]s AS FROM old.%[1]s.%[2]s LIMIT 0", tables.Schema, t.Name))
	if err != nil || !ok {
		s.addRows(&s.report.Lost, t.Name, s.estimateRows(ctx, t))
		return err
	}
	c := &tableCopy{salvager: s, t: t, columns: columns}
	rows := s.estimateRows(ctx, t)
	if err := c.copy(ctx, rowRange{0, rows}); err != nil {
		return err
	}
	_, err = s.try(ctx, c.insertion(rowRange{rows, math.MaxInt64}, columns)) // the table may have more
	return err
}

// estimateRows returns the number of a table's rows by the catalog; 0 if it can't be read.
func (s *salvager) estimateRows(ctx context.Context, t *tables.Table) (rows int64) {
	query := "SELECT estimated_size FROM duckdb_tables() WHERE database_name = 'old' AND schema_name = ? AND table_name = ?"
	_ = s.l.conn.QueryRowContext(ctx, query, tables.Schema, t.Name).Scan(&rows)
	return rows
}

// addRows adds to a number of rows.
func (s *salvager) addRows(list *[]TableRows, name string, rows int64) {
	if rows == 0 {
		return
	}
	for i := range *list {
		if (*list)[i].Table == name {
			(*list)[i].Rows += rows
			return
		}
	}
	*list = append(*list, TableRows{name, rows})
}

// tableCopy is the copy of one table.
type tableCopy struct {
	*salvager
	t       *tables.Table
	columns []string
}

// copy copies a range. If the range can't be read as a whole, copy halves the range,
// down to the number of rows that DuckDB reads at once.
func (c *tableCopy) copy(ctx context.Context, r rowRange) error {
	if r.from >= r.to {
		return nil
	}
	ok, err := c.try(ctx, c.insertion(r, c.columns))
	if err != nil || ok {
		return err
	}
	if r.to-r.from <= vectorRows {
		return c.copyColumns(ctx, r)
	}
	half := (r.from + (r.to-r.from)/2 + vectorRows - 1) / vectorRows * vectorRows
	if half >= r.to {
		half -= vectorRows
	}
	if err := c.copy(ctx, rowRange{r.from, half}); err != nil {
		return err
	}
	return c.copy(ctx, rowRange{half, r.to})
}

// copyColumns copies the readable columns of a range. Rows without a readable source_id
// are lost.
func (c *tableCopy) copyColumns(ctx context.Context, r rowRange) error {
	var read, unread []string
	for _, name := range c.columns {
		ok, err := c.try(ctx, fmt.Sprintf("SELECT count(hash(%s)) FROM old.%s.%s WHERE %s", sqltext.Identifier(name), tables.Schema, c.t.Name, r.where()))
		switch {
		case err != nil:
			return err
		case ok:
			read = append(read, name)
		case name == "source_id":
			c.addRows(&c.report.Lost, c.t.Name, r.to-r.from)
			return nil
		default:
			unread = append(unread, name)
		}
	}
	ok, err := c.try(ctx, c.insertion(r, read))
	if err == nil && !ok {
		c.addRows(&c.report.Lost, c.t.Name, r.to-r.from)
	}
	for _, name := range unread {
		if ok {
			c.addRows(&c.report.Holes, c.t.Name+"."+name, r.to-r.from)
		}
	}
	return err
}

func (c *tableCopy) insertion(r rowRange, columns []string) string {
	names := lists.Map(columns, sqltext.Identifier)
	return fmt.Sprintf("INSERT INTO saved.%[1]s.%[2]s BY NAME SELECT %[3]s FROM old.%[1]s.%[2]s WHERE %[4]s AND source_id NOT IN (FROM temp.main.loading)",
		tables.Schema, c.t.Name, strings.Join(names, ", "), r.where())
}

// nameLost adds a source of unknown path for rows whose own source is unreadable, to
// let a prune find the rows.
func (s *salvager) nameLost(ctx context.Context) error {
	var pieces []string
	for _, t := range tables.Loaded() {
		columns, err := storedColumns(ctx, s.l, "saved", t.Name)
		if err != nil {
			return err
		}
		if t.Name != "sources" && t != tables.ForgottenLogs() && slices.Contains(columns, "agent") && slices.Contains(columns, "source_id") {
			pieces = append(pieces, fmt.Sprintf("SELECT agent, source_id FROM saved.%s.%s", tables.Schema, t.Name))
		}
	}
	columns, err := storedColumns(ctx, s.l, "saved", "sources")
	if err != nil || len(pieces) == 0 {
		return err
	}
	if len(columns) == 0 {
		if err := s.l.exec(ctx, fmt.Sprintf("CREATE TABLE saved.%s.sources (source_id BIGINT, agent VARCHAR, path VARCHAR, machine VARCHAR, host VARCHAR, gone_at TIMESTAMPTZ, messages BIGINT)", tables.Schema)); err != nil {
			return err
		}
	}
	of := s.f.Config()
	return s.l.exec(ctx, fmt.Sprintf(`INSERT INTO saved.%[1]s.sources BY NAME SELECT source_id, any_value(agent) AS agent,
		'(unknown: the store was damaged)' AS path, nullif(%[2]s, '') AS machine, nullif(%[3]s, '') AS host, now() AS gone_at FROM (%[4]s)
		WHERE source_id NOT IN (SELECT source_id FROM saved.%[1]s.sources) GROUP BY source_id`,
		tables.Schema, sqltext.Literal(of.Machine), sqltext.Literal(of.Hostname), strings.Join(pieces, " UNION ALL ")))
}

// countSaved fills the numbers of saved rows into the report.
func (s *salvager) countSaved(ctx context.Context) error {
	for _, t := range tables.Loaded() {
		columns, err := storedColumns(ctx, s.l, "saved", t.Name)
		if err != nil {
			return err
		}
		if len(columns) == 0 {
			continue
		}
		var rows int64
		if err := s.l.conn.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM saved.%s.%s", tables.Schema, t.Name)).Scan(&rows); err != nil {
			return err
		}
		if t.Name == "sources" {
			s.report.Logs = int(rows)
		} else if !t.Internal {
			s.addRows(&s.report.Saved, t.Name, rows)
		}
	}
	messages, err := storedColumns(ctx, s.l, "saved", "messages")
	if err != nil || len(messages) == 0 {
		return err
	}
	return s.l.conn.QueryRowContext(ctx, fmt.Sprintf(`SELECT greatest(coalesce(sum(messages), 0)::BIGINT - (SELECT count(*) FROM saved.%[1]s.messages), 0)
		FROM saved.%[1]s.sources`, tables.Schema)).Scan(&s.report.Absent)
}
