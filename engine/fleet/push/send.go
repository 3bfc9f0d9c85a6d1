package push

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"hindsql/internal/regular"
)

// sendersToBucket is how many files are sent to a bucket at once. A folder takes one,
// because creating a file there sweeps unfinished files of the same process.
const sendersToBucket = 4

// sending puts new files to the target while other files are made: waiting for a disk or
// a network takes no processor.
type sending struct {
	*pushing
	ctx   context.Context
	stop  context.CancelFunc
	queue chan *made
	end   func()
	mutex sync.Mutex
	err   error // the first
}

// startSending starts the senders. The caller has to call finish, or stop and end.
func (p *pushing) startSending(ctx context.Context) *sending {
	s := &sending{pushing: p, queue: make(chan *made, 100)}
	s.ctx, s.stop = context.WithCancel(ctx)
	senders := sendersToBucket
	if p.Target.Folder != "" {
		senders = 1
	}
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for f := range s.queue { // also after an error, so that add never waits in vain
				if s.ctx.Err() == nil {
					s.note(s.one(f))
				}
			}
		})
	}
	s.end = sync.OnceFunc(func() { close(s.queue); all.Wait() })
	return s
}

// note keeps the first error, and stops the sending.
func (s *sending) note(err error) {
	if err == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.err = cmp.Or(s.err, err)
	s.stop()
}

// add has a file sent.
func (s *sending) add(f *made) { s.queue <- f }

// failed returns the error that stopped the sending.
func (s *sending) failed() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err != nil {
		return fmt.Errorf("%s: %w; what was pushed there before counts still", s.Target.URL, s.err)
	}
	return s.ctx.Err()
}

// finish waits until all files are sent.
func (s *sending) finish() error {
	s.end()
	return s.failed()
}

// one sends a file.
func (s *sending) one(f *made) error {
	r, err := regular.Open(f.local)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := s.Target.Put(s.ctx, s.prefix+"/"+f.Path, r, f.Bytes); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	return nil
}
