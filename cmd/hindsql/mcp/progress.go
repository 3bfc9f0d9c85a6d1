package mcp

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/engine"
)

// news tells a client what a call is at, once an interval until it is over:
// nothing where that is sooner. Clients give up on a call that they hear nothing
// of.
type news struct {
	asker
	every time.Duration
	ctx   context.Context
	done  chan struct{}
	ended sync.WaitGroup
	mutex sync.Mutex
	now   engine.Progress
	doing string // behind the load; empty before
}

// newsEvery is how often it is told, but for tests.
const newsEvery = 500 * time.Millisecond

// tell begins to tell, until end.
func (a asker) tell(ctx context.Context, every time.Duration) *news {
	n := &news{asker: a, every: every, ctx: ctx, done: make(chan struct{})}
	if a.session != nil && a.token != nil {
		n.ended.Go(n.watch)
	}
	return n
}

// loading takes how far it is.
func (n *news) loading(now engine.Progress) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.now = now
}

// answering has the load be over: a first call copies the rows in scope, which of
// many logs takes seconds more.
func (n *news) answering() {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.doing = "answering: a first call copies the rows in scope"
}

func (n *news) end() {
	close(n.done)
	n.ended.Wait()
}

func (n *news) watch() {
	ticks := time.NewTicker(n.every)
	defer ticks.Stop()
	for last := 0.0; ; {
		select {
		case <-n.done:
			return
		case <-n.ctx.Done():
			return
		case <-ticks.C:
		}
		n.mutex.Lock()
		now, doing := n.now, n.doing
		n.mutex.Unlock()
		params := stage(now, last)
		params.Message = cmp.Or(doing, params.Message)
		params.ProgressToken, last = n.token, params.Progress
		_ = n.session.NotifyProgress(n.ctx, params) // a client that is gone ends the call
	}
}

// stage is what is told of how far a load is, after the number told last. Each
// number has to be larger than the one before, as the protocol wants; of what
// follows on reading nobody knows how long it takes, so that it comes ever closer
// to the total.
func stage(now engine.Progress, last float64) *sdk.ProgressNotificationParams {
	p := &sdk.ProgressNotificationParams{Progress: float64(now.Bytes), Total: float64(now.TotalBytes + 1), Message: fmt.Sprintf("loading logs: %d of %d", now.Files, now.TotalFiles)}
	switch {
	case now.TotalBytes == 0:
		return &sdk.ProgressNotificationParams{Progress: last + 0.001, Message: "looking for logs that changed"}
	case now.Bytes >= now.TotalBytes:
		p.Message = fmt.Sprintf("%d logs are read; putting their rows in order", now.TotalFiles)
	}
	if p.Progress <= last {
		p.Progress = last + (p.Total-last)/100
	}
	return p
}
