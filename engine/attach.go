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

// attachment is the store's file as this process's DuckDB has it.
type attachment struct {
	gate    gate // inside, somebody attaches or lets go
	is      bool
	file    fs.FileInfo // what was attached; nil for the empty tables of a store that isn't there
	checked fs.FileInfo // what was found to have the tables of this build
	named   bool        // the views and functions are there
}

// acquire makes the store's tables readable, under their plain names too, until
// release is called. A store that isn't there yet is one of empty tables.
func (st *Store) acquire(ctx context.Context) error {
	return st.reading(ctx, st.attach)
}

// acquireAny is acquire for who looks after the tables: they may be those of
// another build, and have no names.
func (st *Store) acquireAny(ctx context.Context) error {
	return st.reading(ctx, st.attachFile)
}

// acquireBare is acquire for who brings names of his own.
func (st *Store) acquireBare(ctx context.Context) error {
	return st.reading(ctx, st.attachBuild)
}

func (st *Store) reading(ctx context.Context, attach func(context.Context) error) error {
	if st.inside != nil { // the rows are there
		return nil
	}
	if st.lake == nil { // nobody else writes to it
		if err := st.passTurn(ctx); err != nil {
			return err
		}
	}
	if err := st.held.enter(ctx); err != nil {
		return err
	}
	err := st.withAttachment(ctx, func() error { return attach(ctx) })
	if err != nil {
		st.release(ctx)
	}
	return err
}

// release ends what acquire began. The last one lets go of the file, so that
// other processes can write to it.
func (st *Store) release(ctx context.Context) {
	if st.inside != nil {
		return
	}
	st.held.leave()
	_ = st.detach(ctx)
}

// park is release, but keeps the file at hand for the statement that most
// likely follows.
func (st *Store) park() { st.held.leave() }

// Detach lets go of the store, so that other processes can write to it. Only
// after a Sync without a statement behind it there is anything to let go of.
func (st *Store) Detach(ctx context.Context) { _ = st.detach(ctx) }

// detach lets go of the file unless somebody reads it.
func (st *Store) detach(ctx context.Context) error {
	if st.safe != nil {
		return st.safe.source.detach(ctx)
	}
	ctx = context.WithoutCancel(ctx)
	return st.withAttachment(ctx, func() error {
		if !st.attached.is || st.held.count() > 0 {
			return nil
		}
		return st.letGo(ctx)
	})
}

func (st *Store) letGo(ctx context.Context) error {
	if st.lake != nil {
		return nil // no file is held
	}
	err := st.exec(ctx, "DETACH DATABASE IF EXISTS store")
	st.attached.is = err != nil
	return err
}

// needsNames says that nobody made the names yet, and that there is a file which
// has some of its own.
func (st *Store) needsNames(ctx context.Context) (needs bool) {
	_ = st.withAttachment(ctx, func() error {
		needs = !st.attached.named && onThisDisk(st.path)
		return nil
	})
	return needs
}

func (st *Store) withAttachment(ctx context.Context, use func() error) error {
	if err := st.attached.gate.enter(ctx); err != nil {
		return err
	}
	defer st.attached.gate.leave()
	return use()
}

// attach is attachBuild, and makes the names. A statement that is cancelled must
// not leave half of them.
func (st *Store) attach(ctx context.Context) error {
	if err := st.attachBuild(ctx); err != nil || st.attached.named {
		return err
	}
	err := st.makeNames(context.WithoutCancel(ctx))
	st.attached.named = err == nil
	return err
}

// attachBuild is attachFile, and refuses the tables of another build.
func (st *Store) attachBuild(ctx context.Context) error {
	if err := st.attachFile(ctx); err != nil {
		return err
	}
	return st.checkBuild(ctx)
}

func (st *Store) attachFile(ctx context.Context) error {
	if st.lake != nil {
		return st.attachLake(context.WithoutCancel(ctx))
	}
	now, err := os.Stat(st.path)
	missing := errors.Is(err, fs.ErrNotExist)
	if st.attached.is && (sameFile(st.attached.file, now) || st.held.count() > 1) {
		return nil // who reads already goes on with what was there
	}
	if st.attached.is {
		if err := st.letGo(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if missing {
		err = st.attachEmpty(context.WithoutCancel(ctx))
	} else {
		err = st.attachThere(ctx)
	}
	if err != nil {
		return st.storeError(err)
	}
	st.attached.is, st.attached.file = true, now
	return nil
}

// attachThere waits for another process of hindsql's that writes.
func (st *Store) attachThere(ctx context.Context) error {
	return st.retry(ctx, time.Now().Add(patienceOfReaders), func() error {
		return st.exec(ctx, fmt.Sprintf("ATTACH %s AS store (READ_ONLY)", tables.Quote(st.path)))
	})
}

// sameFile takes a file that is not there for the same as none.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b)
}

func (st *Store) attachEmpty(ctx context.Context) error {
	if err := st.exec(ctx, "ATTACH ':memory:' AS store"); err != nil {
		return err
	}
	err := createTables(ctx, st.conn, st.worktrees())
	if err != nil {
		err = errors.Join(err, st.letGo(ctx))
	}
	return err
}

// checkBuild refuses the tables of another build: a file is never changed into
// that, but replaced.
func (st *Store) checkBuild(ctx context.Context) error {
	if st.attached.named && sameFile(st.attached.checked, st.attached.file) {
		return nil
	}
	hash, err := st.schemaHash(ctx)
	if err == nil && hash != tables.SchemaHash() {
		err = &OtherBuild{st.path}
	}
	if err == nil {
		st.attached.checked = st.attached.file
	}
	return err
}

// schemaHash is that of the build which wrote the attached store. A DuckDB file
// without one is somebody else's, and an error.
func (st *Store) schemaHash(ctx context.Context) (hash string, err error) {
	missing := func() bool { return err != nil && strings.Contains(err.Error(), "does not exist") }
	err = st.db.QueryRowContext(ctx, "SELECT schema_hash FROM "+StoreSchema+".store_info").Scan(&hash)
	if missing() { // older builds kept their tables in main
		err = st.db.QueryRowContext(ctx, "SELECT schema_hash FROM store.main.store_info").Scan(&hash)
	}
	if missing() {
		return "", &NotAStore{Path: st.path, IsDuckDB: true}
	}
	return hash, err
}

// createTables makes the declared tables, and the views over them, in the
// attached store. Views know worktrees by where they lie.
func createTables(ctx context.Context, conn *sql.Conn, worktrees tables.Worktrees) error {
	_, err := conn.ExecContext(ctx, tablesDDL(worktrees))
	return err
}

func tablesDDL(worktrees tables.Worktrees) string {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "CREATE SCHEMA %s; CREATE SCHEMA store.%s;\n", StoreSchema, tables.WithCopies)
	for _, t := range tables.All() {
		if t.View == "" {
			ddl.WriteString(t.DDL(StoreSchema) + ";\n")
		}
	}
	fmt.Fprintf(&ddl, "CREATE TABLE %s.store_info AS SELECT %s AS schema_hash, 0::BIGINT AS load_memory, NULL::VARCHAR AS files, 0 AS found, NULL::VARCHAR AS rows, NULL::VARCHAR AS prices;\n", StoreSchema, tables.Quote(tables.SchemaHash()))
	for _, v := range tables.Views() {
		name := StoredView(v)
		ddl.WriteString(worktrees.In(v.ViewDDL(name, tables.Schema)) + ";\n")
	}
	return ddl.String()
}

// describeTables says in a store's file what its tables and columns hold, to
// whoever opens it with another program. It takes longer than to make them, so
// what lies in memory goes without.
func describeTables(ctx context.Context, conn *sql.Conn) error {
	var ddl strings.Builder
	for _, v := range tables.Views() {
		for _, comment := range v.Comments(StoredView(v)) {
			ddl.WriteString(comment + ";\n")
		}
	}
	_, err := conn.ExecContext(ctx, ddl.String())
	return err
}
