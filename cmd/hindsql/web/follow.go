package web

import (
	"context"
	"sync"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
)

// follower keeps the store up to date with the logs. While somebody watches, it
// looks at them every while; else a request does, unless one just did. However
// many pages are open, one looks at a time.
type follower struct {
	source *ask.Source
	every  time.Duration
	off    bool // nobody looks: what is loaded is shown

	looking chan struct{} // holds one token: who has it looks

	mutex    sync.Mutex
	looked   time.Time // when somebody last began to
	behind   string    // why the rows may be old, since then
	mark     string    // of the store, then
	watchers map[chan struct{}]bool
	stop     context.CancelFunc // of the poll; nil: none runs
	ended    bool
}

func newFollower(c *Config) *follower {
	f := &follower{source: c.Source, every: c.Every, off: c.NoSync, looking: make(chan struct{}, 1), watchers: map[chan struct{}]bool{}}
	f.looking <- struct{}{}
	return f
}

// fresh has the logs looked at, unless somebody did a moment ago. It says why
// what is shown may be old; empty where it isn't.
func (f *follower) fresh(ctx context.Context) (behind string) {
	if f.off {
		return ""
	}
	asked := time.Now()
	select {
	case <-f.looking:
	case <-ctx.Done():
		return ""
	}
	defer func() { f.looking <- struct{}{} }()
	f.mutex.Lock()
	recent := f.looked.After(asked) || time.Since(f.looked) < f.every
	behind = f.behind
	f.mutex.Unlock()
	if recent {
		return behind
	}
	return f.look(ctx)
}

// look syncs, and tells the watchers where that, or another process, changed the
// rows.
func (f *follower) look(ctx context.Context) (behind string) {
	began := time.Now()
	synced, err := f.source.Sync(ctx, engine.SyncOptions{})
	if behind = synced.Behind; err != nil {
		behind = phrases.Explain(err)
	}
	mark := f.source.Store().Mark()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	changed := f.mark != "" && f.mark != mark || f.behind != behind
	f.looked, f.behind, f.mark = began, behind, mark
	if changed {
		for news := range f.watchers {
			select {
			case news <- struct{}{}:
			default: // it hasn't read the last one yet
			}
		}
	}
	return behind
}

// watch gives a channel that tells of each change of the rows, until stop is
// called. It is closed when the server ends.
func (f *follower) watch() (news chan struct{}, stop func()) {
	news = make(chan struct{}, 1)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.ended {
		close(news)
		return news, func() {}
	}
	f.watchers[news] = true
	if f.stop == nil && !f.off {
		ctx, cancel := context.WithCancel(context.Background())
		f.stop = cancel
		go f.poll(ctx)
	}
	return news, func() { f.unwatch(news) }
}

func (f *follower) unwatch(news chan struct{}) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	delete(f.watchers, news)
	if len(f.watchers) == 0 && f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// poll looks every while, and lets go of the store in between, so that other
// processes can write.
func (f *follower) poll(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f.fresh(ctx)
			f.source.Store().Detach(ctx)
		}
	}
}

// end ends the poll, and tells all who watch.
func (f *follower) end() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.ended = true
	for news := range f.watchers {
		close(news)
	}
	f.watchers = map[chan struct{}]bool{}
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
}
