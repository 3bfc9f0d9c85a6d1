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

// news tells a client how far a call is, at each interval until the call ends. A call
// shorter than the interval sends no news. Clients give up on a silent call.
type news struct {
	asker
	every time.Duration
	ctx   context.Context
	done  chan struct{}
	ended sync.WaitGroup
	mutex sync.Mutex
	now   engine.Progress
	doing string // message after the load; empty before
}

// newsEvery is the usual interval of news. Tests change it.
const newsEvery = 500 * time.Millisecond

// tell sends news until the caller calls end.
func (a asker) tell(ctx context.Context, every time.Duration) *news {
	n := &news{asker: a, every: every, ctx: ctx, done: make(chan struct{})}
	if a.session != nil && a.token != nil {
		n.ended.Go(n.watch)
	}
	return n
}

// loading sets the load's progress.
func (n *news) loading(now engine.Progress) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.now = now
}

// answering marks the load as over. A first call then copies the rows in scope, which
// takes seconds if there are many logs.
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

// stage returns the progress message of a load. last is the number of the message
// before, and the protocol requires growing numbers. The time after reading is unknown,
// so the number then approaches the total ever more slowly.
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
