package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"hindsql/engine/store"
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
	f      *file
	from   string // the damaged file
	into   string // the sound one
	loaded []int64
	report *Salvage
}

// salvage copies the rows of sources that aren't loaded anew. It copies whole tables.
// If a table can't be read, salvage copies ranges of rows, and then single columns.
func (f *file) salvage(ctx context.Context, p plan, into string, report *Salvage) error {
	s := &salvager{f: f, from: f.in.at.Path, into: into, report: report}
	for i := range p.load {
		s.loaded = append(s.loaded, p.load[i].id)
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

// bare returns a second name for the damaged file, without a write-ahead log beside it.
func (s *salvager) bare() string { return s.into + ".bare" }

// open attaches both files. It leaves out an unreadable write-ahead log.
func (s *salvager) open(ctx context.Context) error {
	attach := func() error {
		return s.f.in.at.Retry(ctx, time.Now().Add(patienceOfAll), func() error {
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

// again restarts DuckDB, because it answers no more statements after some errors.
func (s *salvager) again(ctx context.Context) error { return s.l.reopen(ctx, s.f.in.at.Path, nil) }

// try runs a statement. ok is false if the statement read damaged bytes.
func (s *salvager) try(ctx context.Context, statement string) (ok bool, err error) {
	err = s.l.exec(ctx, statement)
	if !store.IsDamage(err, true) {
		return err == nil, err
	}
	if s.l.exec(ctx, "SELECT 1") == nil && s.l.exec(ctx, "FROM saved."+tables.Schema+".store_info") == nil {
		return false, nil
	}
	return false, cmp.Or(s.again(ctx), s.open(ctx))
}
