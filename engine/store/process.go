package store

import (
	"context"
	"sync"
	"time"
)

// Hold shares the store's file among the goroutines of this process: any number of
// readers, or one writer.
type Hold struct {
	mutex   sync.Mutex
	changed chan struct{} // closed and replaced when a field below changes
	readers int
	writer  bool // has the file, or waits for the readers to leave
}

// NewHold returns a Hold without readers and writer.
func NewHold() Hold { return Hold{changed: make(chan struct{})} }

// tell wakes waiting goroutines. The caller holds the mutex.
func (h *Hold) tell() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// Enter adds a reader, as soon as no writer has the file or waits for it.
func (h *Hold) Enter(ctx context.Context) error {
	return h.await(ctx, func() bool {
		if !h.writer {
			h.readers++
		}
		return !h.writer
	})
}

// Leave removes a reader.
func (h *Hold) Leave() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.readers--
	h.tell()
}

// Count is the number of readers.
func (h *Hold) Count() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.readers
}

// Own takes the file for a writer as soon as all readers have left. New readers wait
// from the start of the call, to let the writer in. At the deadline Own returns
// context.DeadlineExceeded.
func (h *Hold) Own(ctx context.Context, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if err := h.await(ctx, func() bool {
		free := !h.writer
		h.writer = true
		return free
	}); err != nil {
		return err
	}
	err := h.await(ctx, func() bool { return h.readers == 0 })
	if err != nil {
		h.Disown()
	}
	return err
}

// Disown releases the file, or a reservation, that a call of Own made.
func (h *Hold) Disown() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.writer = false
	h.tell()
}

// await waits until ready returns true, or returns the error of ctx. It calls ready with
// the mutex held.
func (h *Hold) await(ctx context.Context, ready func() bool) error {
	for {
		h.mutex.Lock()
		ok, changed := ready(), h.changed
		h.mutex.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Gate admits one goroutine at a time.
type Gate chan struct{}

// NewGate returns an open Gate.
func NewGate() Gate { return make(Gate, 1) }

// Enter waits until the Gate is free, or returns the error of ctx.
func (g Gate) Enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Leave frees the Gate.
func (g Gate) Leave() { <-g }
