package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"hindsql/tables"
)

// A store file can be attached by many who read or by one who writes. Writers
// hold it for well under a second at a time, so whoever finds it taken tries
// again.
const (
	lockPatience = 5 * time.Second
	lockRetry    = 4 * time.Millisecond
)

// attach makes the store's tables readable, under their plain names too. A
// store that isn't there yet is one of empty tables.
func (s *Session) attach(ctx context.Context) error {
	if err := s.attachStore(ctx); err != nil {
		return err
	}
	if !s.viewed {
		return s.makeViews(ctx)
	}
	return nil
}

func (s *Session) attachStore(ctx context.Context) error {
	if s.attached {
		return nil
	}
	var err error
	if _, statErr := os.Stat(s.config.Store); errors.Is(statErr, fs.ErrNotExist) {
		err = s.attachEmpty(ctx)
	} else {
		err = retryLocked(ctx, func() error {
			return s.exec(ctx, fmt.Sprintf("ATTACH %s AS store (READ_ONLY)", quote(s.config.Store)))
		})
	}
	if err != nil {
		return storeError(s.config.Store, err)
	}
	s.attached = true
	return nil
}

func (s *Session) attachEmpty(ctx context.Context) error {
	if err := s.exec(ctx, "ATTACH ':memory:' AS store"); err != nil {
		return err
	}
	return createTables(ctx, s.conn)
}

func (s *Session) otherBuild() error {
	return fmt.Errorf("store: %s: written by another build of hindsql; run `hindsql sync` to bring it up to date", s.config.Store)
}

// detach lets go of the store. Inside a transaction that the user began DuckDB
// refuses, and would abort it: the store stays until that ends.
func (s *Session) detach(ctx context.Context) {
	if s.attached && !s.began && s.exec(context.WithoutCancel(ctx), "DETACH DATABASE IF EXISTS store") == nil {
		s.attached = false
	}
}

// Detach lets go of the store, so that other processes can write to it. Only
// after a Sync without a statement behind it there is anything to let go of.
func (s *Session) Detach(ctx context.Context) { s.detach(ctx) }

// storeSchema is where the attached store's tables lie. What users query are
// views over them.
const storeSchema = "store." + tables.Schema

// createTables makes the declared tables, and the views over them, in the
// attached store.
func createTables(ctx context.Context, conn *sql.Conn) error {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "CREATE SCHEMA %s; CREATE SCHEMA store.%s;\n", storeSchema, tables.WithCopies)
	for _, t := range tables.All() {
		if t.View == "" {
			ddl.WriteString(t.DDL(storeSchema) + ";\n")
		}
	}
	fmt.Fprintf(&ddl, "CREATE TABLE %s.store_info AS SELECT %s AS schema_hash, 0::BIGINT AS load_memory;\n", storeSchema, quote(tables.SchemaHash()))
	for _, v := range tables.Views() {
		name := storedView(v)
		ddl.WriteString(v.ViewDDL(name, tables.Schema) + ";\n")
		for _, comment := range v.Comments(name) {
			ddl.WriteString(comment + ";\n")
		}
	}
	_, err := conn.ExecContext(ctx, ddl.String())
	return err
}

// storedView is the whole name of a view that the store holds.
func storedView(v *tables.Table) string {
	if strings.HasPrefix(v.Name, tables.WithCopies) {
		return "store." + v.Name
	}
	return "store.main." + v.Name
}

// retryLocked tries until the file is free, or lockPatience is over.
func retryLocked(ctx context.Context, try func() error) error {
	deadline := time.Now().Add(lockPatience)
	for {
		err := try()
		if !isLocked(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockRetry):
		}
	}
}

// isLocked knows DuckDB's words for a file that is taken, those of Windows last.
func isLocked(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Could not set lock on file") || strings.Contains(err.Error(), "File is already open in"))
}

func storeError(path string, err error) error {
	switch {
	case isLocked(err):
		return fmt.Errorf("store: %s: another process has held it for %v; try again", path, lockPatience)
	case strings.Contains(err.Error(), "not a valid DuckDB database file"):
		return fmt.Errorf("store: %s: not a DuckDB file; move it away, or name another with --store", path)
	}
	return fmt.Errorf("store: %s: %w", path, err)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
