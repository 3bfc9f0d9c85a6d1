package term

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// patience is how long a sync runs before its progress is shown.
const patience = 300 * time.Millisecond

// Progress shows on a terminal how far a sync is, once patience has passed. A nil
// Progress shows nothing.
type Progress struct {
	out   io.Writer
	start time.Time
	bar   *progressbar.ProgressBar
}

// NewProgress returns a Progress for a terminal.
func NewProgress(out io.Writer) *Progress { return &Progress{out: out} }

func (p *Progress) begin() {
	if p != nil {
		p.start = time.Now()
	}
}

// Report shows the sync's progress.
func (p *Progress) Report(now engine.Progress) {
	if time.Since(p.start) < patience || now.TotalBytes == 0 {
		return
	}
	if p.bar == nil {
		p.bar = newBar(p.out, now.TotalBytes)
	}
	p.bar.Describe(fmt.Sprintf("reading logs, %s of %s", words.Size(now.Bytes), words.Size(now.TotalBytes)))
	p.bar.ChangeMax64(now.TotalBytes)
	_ = p.bar.Set64(min(now.Bytes, now.TotalBytes))
}

// end removes the progress from the terminal.
func (p *Progress) end() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

func newBar(out io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(Behind(out)),
		progressbar.OptionSetWidth(30),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish())
}

// Steps shows an export's or import's current table on a terminal. The caller calls
// report for each table, and done at the end.
func Steps(out io.Writer, verb string) (report func(export.Progress), done func()) {
	var bar *progressbar.ProgressBar
	report = func(p export.Progress) {
		if bar == nil {
			bar = newBar(out, int64(p.Total))
		}
		bar.Describe(printable.Text(verb + " " + p.Name))
		_ = bar.Set(p.Done)
	}
	return report, func() {
		if bar != nil {
			_ = bar.Clear()
		}
	}
}
