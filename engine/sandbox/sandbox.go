// Package sandbox runs a copy of this program, the worker, in which others' SQL
// may crash, hang or swell without harm to who asked.
//
// Start starts one and gives a Process. Both ends call each other over the worker's
// stdin and stdout: a call is a method, a value as JSON and bytes, and so is its
// reply. The system bounds the worker's folder, memory and files. A worker ends with
// its pipe, so no worker outlives its parent.
//
// The package knows processes, pipes and how rows are carried. It never opens a
// DuckDB, and it knows no table and no statement.
package sandbox

import (
	"context"
	"encoding/json"
	"os"
)

// name is a worker's os.Args[0], by which also C code knows it.
const name = "hindsql-worker"

// Inside says that this process was started as a worker.
func Inside() bool { return len(os.Args) > 0 && os.Args[0] == name }

// Hello is what a worker says first, of itself.
type Hello struct {
	Build string
	Locks []Lock // what the system keeps it from
}

// Lock is something that a worker is kept from by the system.
type Lock struct {
	Name    string
	Missing string // why it doesn't hold; empty where it does
}

// Handler answers one call, in a goroutine of its own. The context ends when the
// caller cancels, or the pipe ends. What it returns belongs to the pipe.
type Handler func(ctx context.Context, c *Call) (out any, body []byte, err error)

// Call is a call from the other end.
type Call struct {
	Method string
	In     json.RawMessage
	Body   []byte // the handler's own
	Peer   *Peer  // the other end, for calls back
}
