package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// interrupts passes each Ctrl-C to the function that last asked for it.
type interrupts struct {
	mu     sync.Mutex
	takers []*func()
}

// take makes each Ctrl-C call f until giveBack is called.
func (i *interrupts) take(f func()) (giveBack func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.takers = append(i.takers, &f)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.takers = slices.DeleteFunc(i.takers, func(t *func()) bool { return t == &f })
	}
}

func (i *interrupts) fire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if n := len(i.takers); n > 0 {
		(*i.takers[n-1])()
	}
}

// watch waits for signals. Ctrl-C goes to the function of the last take. SIGTERM and
// SIGHUP call stop. If nohup started the program, SIGHUP is ignored, and the program
// outlives its terminal.
func (i *interrupts) watch(stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	for s := range signals {
		if s == os.Interrupt {
			i.fire()
		} else {
			stop()
		}
	}
}

// Interruptible returns a context cancelled by the next Ctrl-C.
func (i *interrupts) Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	giveBack := i.take(cancel)
	return ctx, func() { giveBack(); cancel() }
}
