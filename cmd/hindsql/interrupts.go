package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// interrupts hands each Ctrl-C to whoever asked for it last.
type interrupts struct {
	mu     sync.Mutex
	takers []*func()
}

// take has f called for each Ctrl-C, until it is given back.
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

// watch waits for signals; one to terminate, or that the terminal is gone, calls
// stop, whoever takes interrupts. Started with nohup, a program outlives its
// terminal.
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

// Interruptible gives a context that the next Ctrl-C ends.
func (i *interrupts) Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	giveBack := i.take(cancel)
	return ctx, func() { giveBack(); cancel() }
}
