package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
)

// follower keeps the store up to date with the logs. A look at the logs is a sync: it
// loads changed logs. While a page is open, follower looks at regular intervals.
// Otherwise a request causes a look, unless the last one began less than an interval
// ago. Only one look runs at a time, however many pages are open.
type follower struct {
	source *ask.Source
	every  time.Duration
	off    bool // no looks: pages show the loaded rows

	looking chan struct{} // holds one token for the right to look

	mutex    sync.Mutex
	looked   time.Time // start of the last look
	behind   string    // why the rows may be old, by the last look; empty if they are current
	mark     string    // the store's mark at the last look; changes when any program writes to the file
	watchers map[chan struct{}]bool
	stop     context.CancelFunc // ends the poll; nil if no poll runs
	ended    bool
}

func newFollower(c *Config) *follower {
	f := &follower{source: c.Source, every: c.Every, off: c.NoSync, looking: make(chan struct{}, 1), watchers: map[chan struct{}]bool{}}
	f.looking <- struct{}{}
	return f
}

// syncIfDue looks at the logs, unless the last look began less than an interval ago. It
// returns why the rows may be old, or "" if they are current.
func (f *follower) syncIfDue(ctx context.Context) (behind string) {
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
	return f.syncNow(ctx)
}

// syncNow syncs. It notifies the watchers if this or another process changed the rows
// since the last look, or if the reason for old rows changed. It returns that reason,
// or "".
func (f *follower) syncNow(ctx context.Context) (behind string) {
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
			default: // the last news is still unread
			}
		}
	}
	return behind
}

// watch returns a channel that gets a value after each change of the rows, until the
// caller calls stop. The end of the server closes the channel. The first watcher starts
// the poll.
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

// poll looks at the logs at regular intervals. After each look, poll detaches the
// store, to let other processes write.
func (f *follower) poll(ctx context.Context) {
	tick := time.NewTicker(f.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f.syncIfDue(ctx)
			f.source.Store().Detach(ctx)
		}
	}
}

// end ends the poll, and closes the watchers' channels.
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

// streamPause is the longest time without a message on an open page's stream. Without
// regular messages, proxies would close an idle stream, and the server wouldn't notice
// that the user closed the page.
const streamPause = 25 * time.Second

// sendChanges notifies an open page of each change of the rows, as server-sent events.
// The page's script then loads the page again and shows the differences, so only the
// server renders pages.
func sendChanges(w http.ResponseWriter, q *request) (*view, error) {
	news, stop := q.server.follower.watch()
	defer stop()
	to := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	if !sendEvent(w, to, "retry: 2000\n\n") {
		return nil, nil
	}
	tick := time.NewTicker(streamPause)
	defer tick.Stop()
	for {
		text := ": still here\n\n"
		select {
		case <-q.Context().Done():
			return nil, nil
		case _, open := <-news:
			if !open {
				return nil, nil
			}
			text = "event: change\ndata: " + q.server.Source.Store().SyncedAt().UTC().Format(time.RFC3339Nano) + "\n\n"
		case <-tick.C:
		}
		if !sendEvent(w, to, text) {
			return nil, nil
		}
	}
}

func sendEvent(w http.ResponseWriter, to *http.ResponseController, text string) bool {
	_, err := fmt.Fprint(w, text)
	return err == nil && to.Flush() == nil
}
