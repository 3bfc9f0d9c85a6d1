package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/engine"
)

// news tells a client how far a load is, at most once an interval: nothing where
// it is over sooner.
type news struct {
	asker
	every time.Duration
	ctx   context.Context
	done  chan struct{}
	ended sync.WaitGroup
	mutex sync.Mutex
	now   engine.Progress
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

func (n *news) end() {
	close(n.done)
	n.ended.Wait()
}

func (n *news) watch() {
	ticks := time.NewTicker(n.every)
	defer ticks.Stop()
	for told := 0; ; told++ {
		select {
		case <-n.done:
			return
		case <-n.ctx.Done():
			return
		case <-ticks.C:
		}
		n.mutex.Lock()
		now := n.now
		n.mutex.Unlock()
		params := &sdk.ProgressNotificationParams{ProgressToken: n.token, Progress: float64(now.Bytes), Total: float64(now.TotalBytes),
			Message: fmt.Sprintf("loading logs: %d of %d", now.Files, now.TotalFiles)}
		if now.TotalBytes == 0 {
			params.Progress, params.Total, params.Message = float64(told)/1000, 0, "looking for logs that changed"
		}
		_ = n.session.NotifyProgress(n.ctx, params) // a client that is gone ends the call
	}
}
