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
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// name is a worker's os.Args[0], which the C code also checks.
const name = "hindsql-worker"

// IsWorker reports whether this process was started as a worker.
func IsWorker() bool { return len(os.Args) > 0 && os.Args[0] == name }

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

// Serve runs a worker. It sends Hello with the build, answers calls until the pipe
// ends, and returns the exit code. When the pipe ends, the process exits at once,
// without waiting for running calls.
func Serve(build string, handle Handler) int {
	in, out, err := movePipes()
	if err == nil {
		err = confine(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	hello, err := json.Marshal(Hello{Build: build, Locks: locks()})
	first := frame{head: head{Kind: kindHello, Value: hello}}
	if err == nil {
		err = first.write(out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := newPeer(handle, false)
	go func() {
		_ = p.read(newFrames(in, 0)) // the parent is gone, whatever the error
		os.Exit(0)
	}()
	failed := make(chan error)
	go func() { failed <- p.write(out) }() // in another goroutine, because an init may lock this goroutine to a thread
	fmt.Fprintln(os.Stderr, <-failed)
	return 1
}

// quietCrashes makes a panicking worker write the reason, without the stacks of all
// goroutines.
const quietCrashes = "GOTRACEBACK=none"

const (
	often = 100 * time.Millisecond // between looks at a worker's memory
	near  = 0.9                    // share of the bound: a worker dying above this share met the bound
)

// bounds returns the worker's arguments: the bounds that the worker sets itself.
func (o Options) bounds() []string {
	return []string{fmt.Sprint("memory=", o.Memory), fmt.Sprint("disk=", o.Disk)}
}

// readBounds reads the arguments in the worker.
func readBounds(arguments []string) (o Options, err error) {
	into := map[string]*int64{"memory": &o.Memory, "disk": &o.Disk}
	for _, text := range arguments {
		name, value, _ := strings.Cut(text, "=")
		if into[name] == nil {
			return o, fmt.Errorf("%s: no bound of a worker", text)
		}
		if *into[name], err = strconv.ParseInt(value, 10, 64); err != nil {
			return o, fmt.Errorf("%s: %w", text, err)
		}
	}
	return o, nil
}

// size is a process's memory in bytes. asked includes memory never touched; 0 if
// unknown.
type size struct{ resident, asked int64 }

// watch kills the worker if its memory exceeds the bound.
func (p *Process) watch(memory int64) {
	clock := time.NewTicker(often)
	defer clock.Stop()
	var spare int64 // bytes reserved at the worker's start but never touched
	if first, err := p.bound.look(); err == nil {
		spare = max(0, first.asked-first.resident)
	}
	for {
		now, err := p.bound.look()
		if err == nil {
			p.full.Store(float64(max(now.resident, now.asked-spare)) > near*float64(memory))
			if now.resident > memory {
				p.Kill(Memory)
			}
		}
		select {
		case <-clock.C:
		case <-p.peer.ctx.Done():
			return
		}
	}
}

// ofMemory lists messages of Go, its libraries and DuckDB when memory runs out. All
// were seen on Linux.
var ofMemory = []string{
	"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread",
	"std::bad_alloc", "Out of Memory Error", "Allocation failure", "Memory allocation failure", "failed to allocate",
}

// ranOutOfMemory reports whether the worker met its memory bound before ending by
// itself. The worker either said so, or was near the bound at the last look.
func (p *Process) ranOutOfMemory(words string) bool {
	return slices.ContainsFunc(ofMemory, func(word string) bool { return strings.Contains(words, word) }) || p.full.Load()
}
