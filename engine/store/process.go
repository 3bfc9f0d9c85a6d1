package store

import (
	"context"
	"sync"
	"time"
)

// hold says who of this process has the store's file: any number who read, or
// one who writes.
type Hold struct {
	mutex   sync.Mutex
	changed chan struct{} // closed, and made anew, when what follows changes
	readers int
	writer  bool // has the file, or waits for the readers to end
}

// NewHold returns a Hold without readers and writer.
func NewHold() Hold { return Hold{changed: make(chan struct{})} }

// tell wakes those who wait. The mutex is held.
func (h *Hold) tell() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// enter counts one more reader, once no writer has the file, or waits for it.
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

// count is how many read.
func (h *Hold) Count() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.readers
}

// own takes the file for a writer once all who read have left. Who wants to
// read waits, from the beginning, so that there will be such a moment. At the
// deadline it gives up.
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

// Disown ends what Own began.
func (h *Hold) Disown() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.writer = false
	h.tell()
}

// await returns once ready, which is called with the mutex held, says so; or
// with the error of ctx.
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

// gate lets one pass at a time.
type Gate chan struct{}

// NewGate returns an open Gate.
func NewGate() Gate { return make(Gate, 1) }

// enter waits until nobody is inside, or gives the error of ctx.
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
