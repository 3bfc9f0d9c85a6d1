package sandbox

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// quietCrashes has a worker that panics say why, without the stacks of all it did.
const quietCrashes = "GOTRACEBACK=none"

const (
	often = 100 * time.Millisecond // between looks at a worker's memory
	near  = 0.9                    // share of the bound: a worker that dies with more memory met its bound
)

// bounds are the arguments of a worker: the bounds that the worker sets itself.
func (o Options) bounds() []string {
	return []string{fmt.Sprint("memory=", o.Memory), fmt.Sprint("disk=", o.Disk)}
}

// readBounds reads them, in the worker.
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

// size is a process's memory in bytes. Asked is also what it never touched; 0 where
// the system doesn't tell.
type size struct{ resident, asked int64 }

// watch kills the worker when it has more memory than its bound.
func (p *Process) watch(memory int64) {
	clock := time.NewTicker(often)
	defer clock.Stop()
	var spare int64 // bytes that the worker reserved at its start and never touched
	if first, err := p.bound.look(); err == nil {
		spare = max(0, first.asked-first.resident)
	}
	for {
		now, err := p.bound.look()
		if err == nil {
			p.resident.Store(now.resident)
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

// ofMemory are words by which Go, its libraries or DuckDB die when the system gives
// no more memory. All were seen on Linux.
var ofMemory = []string{
	"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread",
	"std::bad_alloc", "Out of Memory Error", "Allocation failure", "failed to allocate",
}

// met says that a worker that ended by itself had met its bound of memory: it said
// so, or it was close when it was last looked at.
func (p *Process) met(words string) bool {
	for _, word := range ofMemory {
		if strings.Contains(words, word) {
			return true
		}
	}
	return p.full.Load()
}
