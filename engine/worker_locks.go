package engine

import (
	"context"

	"hindsql/engine/sandbox"
	"hindsql/engine/store"
)

// Lock is something that the system keeps a worker from.
type Lock = sandbox.Lock

// Locks starts a worker that does nothing, and says what the system keeps it from.
// The error is why SQL of others can't run here.
func Locks(ctx context.Context) (locks []Lock, err error) {
	folder, drop, err := store.Scratch("locks")
	if err != nil {
		return nil, err
	}
	defer drop()
	p, err := sandbox.Start(ctx, sandbox.Options{Folder: folder, Memory: besideDuckDB, Build: build()})
	if err != nil {
		return nil, err
	}
	return p.Hello().Locks, p.Close()
}
