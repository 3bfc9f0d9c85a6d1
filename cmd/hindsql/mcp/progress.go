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

// news sends progress messages to a client at regular intervals until its call ends,
// because clients give up on a silent call. A call shorter than the interval sends
// none.
type news struct {
	asker
	every time.Duration
	ctx   context.Context
	done  chan struct{}
	ended sync.WaitGroup
	mutex sync.Mutex
	now   engine.Progress
	doing string // message once the logs are loaded; empty before
}

// newsEvery is the usual interval of progress messages. Tests change it.
const newsEvery = 500 * time.Millisecond

// tell starts to send progress messages until the caller calls end. It sends none if
// the client didn't ask for progress.
func (a asker) tell(ctx context.Context, every time.Duration) *news {
	n := &news{asker: a, every: every, ctx: ctx, done: make(chan struct{})}
	if a.session != nil && a.token != nil {
		n.ended.Go(n.watch)
	}
	return n
}

// loading stores how far the load is, for the next message.
func (n *news) loading(now engine.Progress) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.now = now
}

// answering says that the logs are loaded, and changes the message. The first call then
// copies the rows in scope, which takes seconds if there are many logs.
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

// stage returns the progress message for the state of a load. last is the progress
// number of the last message: the protocol requires growing numbers. How long the work
// after reading takes is unknown. So in that time the number grows ever more slowly
// toward the total.
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
