package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

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

// ofMemory lists messages of Go, its libraries and DuckDB when memory runs out. All
// were seen on Linux.
var ofMemory = []string{
	"out of memory", "cannot allocate memory", "pthread_create failed", "failed to create new OS thread",
	"std::bad_alloc", "Out of Memory Error", "Allocation failure", "Memory allocation failure", "failed to allocate",
}

// met reports whether the worker met its memory bound before ending by itself. The
// worker either said so, or was near the bound at the last look.
func (p *Process) met(words string) bool {
	return slices.ContainsFunc(ofMemory, func(word string) bool { return strings.Contains(words, word) }) || p.full.Load()
}
