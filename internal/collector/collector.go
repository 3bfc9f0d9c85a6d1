// Package collector sets how often Go collects garbage. A program imports it for that
// effect.
//
// Go initialises the package early, because it imports little and its path sorts before
// most others. In main it would be too late: all packages together allocate 3 MB before,
// and Go then collected once, for an eighth of the time of a command without a database.
package collector

import (
	"os"
	"runtime/debug"
	"sync"
)

// percent makes Go collect garbage less often than by default, because most memory
// that a load uses is garbage after each log. It saves a seventh of a first load's CPU
// time, and costs 10 MB of memory, or 60 MB with 100,000 logs.
const percent = 200

// The package does its work when it is initialised. TestLittleAtStart of cmd/hindsql
// checks that this is early.
var isSet = collectLess()

// Go's live memory during a load is 5 to 9 MB with large logs, so Go collected whenever
// 20 MB were in use. A weight of unused memory lets it wait for 36 MB, and the lower
// percentage makes up for the weight where more is live: 55 MB with 100,000 logs. Both
// save 6 % of a first load's CPU time, and take no memory.
const (
	loadWeight  = 20 << 20 // bytes, never written, so the system gives no memory for them
	loadPercent = 100
)

var loading struct {
	sync.Mutex
	loads  int
	weight []byte // nil without loads
}

// Load begins a load of many logs, and returns the function that ends it. Loads may
// overlap.
func Load() (end func()) {
	if !isSet {
		return func() {}
	}
	loading.Lock()
	defer loading.Unlock()
	if loading.loads++; loading.loads == 1 {
		loading.weight = make([]byte, loadWeight)
		debug.SetGCPercent(loadPercent)
	}
	return sync.OnceFunc(func() {
		loading.Lock()
		defer loading.Unlock()
		if loading.loads--; loading.loads == 0 {
			loading.weight = nil
			debug.SetGCPercent(percent)
		}
	})
}

// collectLess reports whether it set the percentage: not if the user set another one.
func collectLess() bool {
	if os.Getenv("GOGC") != "" {
		return false
	}
	debug.SetGCPercent(percent)
	return true
}
