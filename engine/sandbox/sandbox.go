// Package sandbox runs a copy of this program, the worker. In the worker, other
// people's SQL may crash, hang or use much memory without harm to its parent.
//
// Start starts a worker and returns a Process. Both ends call each other over the
// worker's stdin and stdout: a call has a method, a JSON value and bytes, and a reply
// has a JSON value and bytes. The operating system limits the worker's folder, memory
// and files. A worker ends with its pipe, and therefore with its parent.
//
// The package knows processes, pipes and the transport of rows. It never opens a
// DuckDB, and knows no tables or statements.
package sandbox

import (
	"context"
	"encoding/json"
	"os"
)

// name is a worker's os.Args[0], which the C code also checks.
const name = "hindsql-worker"

// Inside reports whether this process was started as a worker.
func Inside() bool { return len(os.Args) > 0 && os.Args[0] == name }

// Hello is a worker's first message, about itself.
type Hello struct {
	Build string
	Locks []Lock // restrictions set by the system
}

// Lock is a restriction that the system puts on a worker.
type Lock struct {
	Name    string
	Missing string // reason why the lock doesn't hold; empty if it holds
}

// Handler answers a call in a new goroutine. The context ends if the caller cancels, or
// the pipe ends. The returned body belongs to the pipe.
type Handler func(ctx context.Context, c *Call) (out any, body []byte, err error)

// Call is a call from the other end.
type Call struct {
	Method string
	In     json.RawMessage
	Body   []byte // owned by the handler
	Peer   *Peer  // the other end, for calls back
}
