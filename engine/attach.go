package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// attachment is the state of the store's file in this process's DuckDB.
type attachment struct {
	gate    store.Gate // held while a caller attaches or detaches the file
	is      bool
	file    fs.FileInfo  // the attached file; nil for the empty tables of a missing store
	checked fs.FileInfo  // the file last found to have this build's tables
	named   bool         // the views and functions of makeNames exist
	stays   atomic.Int32 // number of calls of stay without leave
}

// acquire makes the store's tables readable until release is called. It also makes the
// views and functions (names) that users call without naming a schema. The tables of a
// missing store are empty.
func (in *instance) acquire(ctx context.Context) error {
	return in.reading(ctx, in.attach)
}

// acquireAny is acquire for code that inspects the tables. Another build of hindsql may
// have written the tables. acquireAny makes no views or functions.
func (in *instance) acquireAny(ctx context.Context) error {
	return in.reading(ctx, in.attachFile)
}

// acquireBare is acquire without making views and functions, for callers that name
// tables with their schema or use storeNames.
func (in *instance) acquireBare(ctx context.Context) error {
	return in.reading(ctx, in.attachBuild)
}

func (in *instance) reading(ctx context.Context, attach func(context.Context) error) error {
	if err := cmp.Or(in.from.wait(ctx, in), in.whole(ctx)); err != nil {
		return err
	}
	if err := in.held.Enter(ctx); err != nil {
		return err
	}
	err := in.withAttachment(ctx, func() error { return attach(ctx) })
	if err != nil {
		in.release(ctx)
	}
	return err
}

// release undoes acquire. The last release detaches the file, to let other processes
// write. If more statements are to come soon (see stay), the file stays attached until
// another process waits to write.
func (in *instance) release(ctx context.Context) {
	in.held.Leave()
	if in.attached.stays.Load() == 0 || in.from.isWanted(in) {
		_ = in.detach(ctx)
	}
}

// stay keeps the file attached between the caller's statements, until the caller calls
// leave. The file isn't held meanwhile: a writer of this process takes it, and so does
// one of another process at the end of a statement.
func (in *instance) stay(ctx context.Context) (leave func()) {
	in.attached.stays.Add(1)
	return sync.OnceFunc(func() {
		if in.attached.stays.Add(-1) == 0 {
			_ = in.detach(ctx)
		}
	})
}

// park is release without detaching the file: most likely another statement follows.
func (in *instance) park() { in.held.Leave() }

// detach detaches the file unless a caller still holds the tables.
func (in *instance) detach(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return in.withAttachment(ctx, func() error {
		if !in.attached.is || in.held.Count() > 0 {
			return nil
		}
		return in.letGo(ctx)
	})
}

func (in *instance) letGo(ctx context.Context) error { return in.from.letGo(ctx, in) }

// needsNames reports whether makeNames hasn't run yet, and the store's file exists.
// Statements can then use the views and functions in the file, see storeNames.
func (in *instance) needsNames(ctx context.Context) (needs bool) {
	_ = in.withAttachment(ctx, func() error {
		needs = !in.attached.named && store.Exists(in.at.Path)
		return nil
	})
	return needs
}

func (in *instance) withAttachment(ctx context.Context, use func() error) error {
	if err := in.attached.gate.Enter(ctx); err != nil {
		return err
	}
	defer in.attached.gate.Leave()
	return use()
}

// attach is attachBuild, and then makes the views and functions that users call. A
// cancelled statement doesn't stop this halfway.
func (in *instance) attach(ctx context.Context) error {
	if err := in.attachBuild(ctx); err != nil || in.attached.named {
		return err
	}
	err := in.makeNames(context.WithoutCancel(ctx))
	in.attached.named = err == nil
	return err
}

// attachBuild is attachFile, and returns an error if another build of hindsql wrote the
// tables.
func (in *instance) attachBuild(ctx context.Context) error {
	if err := in.attachFile(ctx); err != nil {
		return err
	}
	return in.checkBuild(ctx)
}

func (in *instance) attachFile(ctx context.Context) error {
	return in.from.attach(ctx, in)
}

// onDisk is the origin of tables in the user's file.
type onDisk struct{}

func (onDisk) hasLogs() bool { return true }

func (onDisk) wait(ctx context.Context, in *instance) error {
	return in.at.PassTurn(ctx, func() { _ = in.detach(ctx) }) // a file that stayed attached
}

func (onDisk) isWanted(in *instance) bool { return in.at.IsWanted() }

func (onDisk) letGo(ctx context.Context, in *instance) error {
	err := in.exec(ctx, "DETACH DATABASE IF EXISTS store")
	if in.attached.is = err != nil; !in.attached.is && !in.attached.named {
		in.attached.checked = nil
	}
	return err
}

func (onDisk) attach(ctx context.Context, in *instance) error {
	now, err := os.Stat(in.at.Path)
	missing := errors.Is(err, fs.ErrNotExist)
	if in.attached.is && (sameFile(in.attached.file, now) || in.held.Count() > 1) {
		return nil // callers that read already keep the old file
	}
	if in.attached.is {
		if err := in.letGo(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if missing {
		err = in.attachEmpty(context.WithoutCancel(ctx))
	} else {
		err = in.attachThere(ctx)
	}
	if err != nil {
		return in.at.Explain(err)
	}
	in.attached.is, in.attached.file = true, now
	return nil
}

// attachThere attaches an existing file. It waits while another process of hindsql's
// writes.
func (in *instance) attachThere(ctx context.Context) error {
	return in.at.Retry(ctx, time.Now().Add(patienceOfReaders), func() error {
		return in.exec(ctx, fmt.Sprintf("ATTACH %s AS store (READ_ONLY)", sqltext.Literal(in.at.Path)))
	})
}

// sameFile reports whether two files are the same file, or both are missing.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b)
}

func (in *instance) attachEmpty(ctx context.Context) error {
	if err := in.exec(ctx, "ATTACH ':memory:' AS store"); err != nil {
		return err
	}
	err := createTables(ctx, in.conn, in.worktrees())
	if err != nil {
		err = errors.Join(err, in.letGo(ctx))
	}
	return err
}

// checkBuild returns an error if another build wrote the tables. hindsql never converts
// a file: a sync replaces it.
func (in *instance) checkBuild(ctx context.Context) error {
	if (in.attached.named || in.attached.checked != nil) && sameFile(in.attached.checked, in.attached.file) {
		return nil
	}
	hash, err := in.schemaHash(ctx)
	if err == nil && hash != tables.SchemaHash() {
		err = &store.OtherBuild{Path: in.at.Path}
	}
	if err == nil {
		in.attached.checked = in.attached.file
	}
	return err
}

// noteChecked notes that the attached file has this build's tables, so that checkBuild
// need not look.
func (in *instance) noteChecked(ctx context.Context) error {
	return in.withAttachment(ctx, func() error {
		in.attached.checked = in.attached.file
		return nil
	})
}

// schemaHash returns the schema hash of the build that wrote the attached store. A
// DuckDB file without a hash gives a [store.NotAStore].
func (in *instance) schemaHash(ctx context.Context) (hash string, err error) {
	err = in.db.QueryRowContext(ctx, "SELECT schema_hash FROM "+StoreSchema+".store_info").Scan(&hash)
	if err != nil && strings.Contains(err.Error(), "does not exist") {
		return "", &store.NotAStore{Path: in.at.Path, IsDuckDB: true}
	}
	return hash, err
}

// createTables makes the declared tables, and the views over them, in the attached
// store. worktrees are the path patterns by which the views recognise git worktrees.
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
	fmt.Fprintf(&ddl, "CREATE TABLE %s.store_info AS SELECT %s AS schema_hash, 0::BIGINT AS load_memory, NULL::VARCHAR AS files, 0 AS found, NULL::VARCHAR AS rows, NULL::VARCHAR AS prices, NULL::VARCHAR AS forgotten;\n", StoreSchema, sqltext.Literal(tables.SchemaHash()))
	for _, v := range tables.Views() {
		name := StoredView(v)
		ddl.WriteString(worktrees.In(v.ViewDDL(name, tables.Schema)) + ";\n")
	}
	return ddl.String()
}

// describeTables writes comments on the tables and columns into a store's file, for
// people who open the file with another program. Writing comments takes longer than
// making the tables, so tables in memory get no comments.
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
