package engine

import (
	"context"

	"hindsql/engine/sqlerror"
	"hindsql/engine/store"
)

// Errors of the store's file. Package store says when each occurs.
type (
	Held       = store.Held
	Busy       = store.Busy
	OtherBuild = store.OtherBuild
	NotAStore  = store.NotAStore
	Damaged    = store.Damaged
	Unwritable = store.Unwritable
	NotOne     = store.NotOne
)

// Error is an error in the user's SQL.
type Error = sqlerror.Error

// Kinds of names that a statement uses and DuckDB doesn't find.
const (
	MissingTable  = sqlerror.MissingTable
	MissingColumn = sqlerror.MissingColumn
)

// sqlError turns DuckDB's message into an [*Error]. A cancelled statement gives the
// context's error. A worker whose DuckDB is broken ends.
func sqlError(ctx context.Context, err error) error {
	endIfBroken(err)
	return sqlerror.Of(ctx, err)
}

// IsOpenToOthers reports whether other users may change the store at a path; see
// [store.File.IsOpenToOthers].
func IsOpenToOthers(path string) bool { return store.File{Path: path}.IsOpenToOthers() }
