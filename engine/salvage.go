package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Salvage says what a full sync saved of a damaged store.
type Salvage struct {
	Aside  string      // where the damaged file lies now, with its log
	Err    error       // why nothing of it could be read; nil when something could
	Logs   int         // logs that are only in the store, whose rows were saved
	Saved  []TableRows // their rows
	Lost   []TableRows // rows that nobody could read. Those of logs that are there were loaded from them
	Holes  []TableRows // rows that lack what stood in the column, likewise
	Absent int64       // messages that the saved logs once had, and have no longer
}

// TableRows is a number of rows.
type TableRows struct {
	Table string // or table.column
	Rows  int64
}

// salvager copies what can be read of a damaged store, the attached old, into a
// sound one, the attached saved. Each statement is a transaction of its own.
type salvager struct {
	l      *loader
	f      *file
	o      oldStore
	from   string // the damaged file
	into   string // the sound one
	loaded []int64
	report *Salvage
}

// salvage copies the rows of sources that aren't loaded anew. It reads table by
// table, and where that fails range by range, and column by column.
func (f *file) salvage(ctx context.Context, p plan, into string, report *Salvage) error {
	s := &salvager{f: f, from: f.in.at.Path, into: into, report: report}
	for i := range p.load {
		s.loaded = append(s.loaded, p.load[i].id, formerID(p.load[i].source))
	}
	var err error
	if s.l, err = openLoader(ctx, f.in.at.Path, f.in.settings.get()); err != nil {
		return err
	}
	defer func() { s.l.close() }()
	defer os.Remove(s.bare())
	if err := s.open(ctx); err != nil {
		if !store.IsDamage(err, true) {
			return err
		}
		report.Err = err
		return nil
	}
	for _, t := range tables.Loaded() {
		if err := s.table(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return cmp.Or(s.nameLost(ctx), s.count(ctx), s.l.exec(context.WithoutCancel(ctx), "DETACH saved"))
}

// bare is a name of the damaged file beside which no log lies.
func (s *salvager) bare() string { return s.into + ".bare" }

// open attaches both files. A log that can't be read is left out.
func (s *salvager) open(ctx context.Context) error {
	attach := func() error {
		return s.f.in.at.Retry(ctx, deadlineOfAll(), func() error {
			return s.l.exec(ctx, fmt.Sprintf("ATTACH %s AS old (READ_ONLY)", sqltext.Literal(s.from)))
		})
	}
	err := attach()
	if store.IsDamage(err, true) && s.from == s.f.in.at.Path && store.Exists(s.from+".wal") && os.Link(s.from, s.bare()) == nil {
		s.from = s.bare()
		if err = s.again(ctx); err == nil {
			err = attach()
		}
	}
	if err == nil {
		s.o, err = (&carrier{s.l}).old(ctx)
	}
	if err == nil {
		err = s.l.exec(ctx, fmt.Sprintf("ATTACH %s AS saved (%s)", sqltext.Literal(s.into), attachOptions))
	}
	return cmp.Or(err, s.l.exec(ctx, "CREATE OR REPLACE TEMP TABLE loading (source_id BIGINT)"), s.noteLoaded(ctx))
}

func (s *salvager) noteLoaded(ctx context.Context) error {
	for some := range slices.Chunk(s.loaded, 1000) {
		if err := s.l.exec(ctx, "INSERT INTO temp.main.loading VALUES "+strings.Join(each(some, "(%d)"), ", ")); err != nil {
			return err
		}
	}
	return nil
}

// again starts DuckDB anew: after some errors it answers nothing any more.
func (s *salvager) again(ctx context.Context) error { return s.l.reopen(ctx, s.f.in.at.Path) }

// try runs a statement. Where it read damaged bytes, ok is false.
func (s *salvager) try(ctx context.Context, statement string) (ok bool, err error) {
	err = s.l.exec(ctx, statement)
	if !store.IsDamage(err, true) {
		return err == nil, err
	}
	if s.l.exec(ctx, "SELECT 1") == nil && s.l.exec(ctx, "FROM saved."+s.o.schema+".store_info") == nil {
		return false, nil
	}
	return false, cmp.Or(s.again(ctx), s.open(ctx))
}
