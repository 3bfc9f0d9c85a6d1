package engine

import (
	"context"

	"hindsql/engine/sandbox"
	"hindsql/engine/store"
)

// Lock is a restriction that the system puts on a worker.
type Lock = sandbox.Lock

// Locks starts an idle worker and lists the restrictions that the system puts on it.
// The error says why SQL of other people can't run here.
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
