package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
)

// patience is how long a sync may take before its progress is shown.
const patience = 300 * time.Millisecond

// progress shows how far a sync is, once it takes longer than patience.
type progress struct {
	out   io.Writer
	start time.Time
	bar   *progressbar.ProgressBar
}

func (p *progress) begin() { p.start = time.Now() }

func (p *progress) report(now engine.Progress) {
	if time.Since(p.start) < patience || now.TotalBytes == 0 {
		return
	}
	if p.bar == nil {
		p.bar = newBar(p.out, now.TotalBytes)
	}
	p.bar.Describe(fmt.Sprintf("reading logs, %s of %s", render.Size(now.Bytes), render.Size(now.TotalBytes)))
	p.bar.ChangeMax64(now.TotalBytes)
	_ = p.bar.Set64(min(now.Bytes, now.TotalBytes))
}

func newBar(out io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish())
}

// end takes the progress off the terminal.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
