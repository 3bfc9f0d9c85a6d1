package term

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/internal/lists"
	"hindsql/internal/printable"
	"hindsql/internal/words"
)

// Sync loads changes in the logs, with progress on a terminal.
func (v *View) Sync(ctx context.Context, full bool) (engine.SyncReport, error) {
	return v.sync(ctx, engine.SyncOptions{Full: full})
}

func (v *View) sync(ctx context.Context, options engine.SyncOptions) (engine.SyncReport, error) {
	if v.Progress != nil {
		options.Progress = v.Progress.Report
		options.Waits = func() {
			Notice(v.Err, "another process loads the logs, and there is nothing to answer from before; waiting for it")
		}
	}
	v.Progress.begin()
	synced, err := v.Session.Sync(ctx, options)
	v.Progress.end()
	printSalvage(v, synced.Salvage)
	printHealed(v, synced.Healed)
	v.Print(synced.Notices...)
	if err == nil && synced.Behind == "" {
		v.lastStale = ""
	}
	return synced.SyncReport, err
}

// Refresh syncs, and writes a line about the result. It also tries disks again that
// recently gave no answer. If the store's disk accepted no rows, it returns an error,
// because the user asked only for the sync.
func (v *View) Refresh(ctx context.Context, w io.Writer, full bool) error {
	report, err := v.sync(ctx, engine.SyncOptions{Full: full, Retry: true})
	if err != nil || !report.IsComplete() && report.Loaded == 0 {
		if err == nil && report.Unwritable != nil {
			return errors.New("nothing was loaded")
		}
		return err
	}
	if _, err := fmt.Fprintln(w, v.syncLine(report)); err != nil || report.Found > 0 {
		return err
	}
	return v.WarnIfEmpty(ctx)
}

func (v *View) syncLine(r engine.SyncReport) string {
	parts := []string{fmt.Sprintf("%s found: %d loaded (%s), %d unchanged", words.Quantity(r.Found, "log"), r.Loaded, words.Size(r.Bytes), r.Unchanged)}
	if r.Moved > 0 {
		parts = append(parts, words.Quantity(r.Moved, "log")+" moved")
	}
	if r.Gone > 0 {
		parts = append(parts, fmt.Sprintf("%d gone, rows kept until %s", r.Gone, v.Words[ask.Prune]))
	}
	if r.Problems > 0 {
		parts = append(parts, words.Quantity(r.Problems, "problem")+" ("+v.Words[ask.SeeProblems]+")")
	}
	return strings.Join(parts, "; ") + "; " + words.Duration(r.Elapsed)
}

// Places returns the folders searched for logs. It writes a notice for an unreadable
// folder.
func (v *View) Places() []engine.PlaceReport {
	places, err := v.Session.Store().Places()
	if err != nil {
		Notice(v.Err, "%v", err)
	}
	for _, p := range places {
		if p.Silent != nil {
			v.Print(ask.Notice{Kind: ask.Warning, Subject: p.Silent.Error()})
		}
	}
	return places
}

// WarnIfEmpty writes a notice with the searched folders if the store has no logs.
func (v *View) WarnIfEmpty(ctx context.Context) error {
	empty, err := v.Session.IsEmpty(ctx)
	if err != nil || !empty {
		return err
	}
	v.Print(ask.Notice{Kind: ask.Empty, Subject: "no logs found; looked in " + v.lookedIn(), Next: ask.TrySample})
	return nil
}

// lookedIn returns the searched folders in words: the first default folder of each
// agent, and all folders named by the user. It only counts the other default folders,
// because an agent may have a dozen.
func (v *View) lookedIn() string {
	var named []string
	first, more := map[string]bool{}, 0
	for _, place := range v.Places() {
		if first[place.Agent] && place.From == "default" {
			more++
			continue
		}
		first[place.Agent] = true
		named = append(named, v.short(place.Path))
	}
	list := strings.Join(named, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// printSalvage reports what a full sync saved from a damaged store, and what was lost.
func printSalvage(v *View, s *engine.Salvage) {
	if s == nil {
		return
	}
	if newer := (*engine.Damaged)(nil); errors.As(s.Err, &newer) && newer.IsNewer() {
		Notice(v.Err, "the store was written by another version of DuckDB; it lies at %s now, for the hindsql that wrote it", v.short(s.Aside))
	} else {
		Notice(v.Err, "the store was damaged; it lies at %s now", v.short(s.Aside))
	}
	if s.Err != nil {
		reason, _, _ := strings.Cut(s.Err.Error(), "\n")
		Notice(v.Err, "nothing of it could be read: %s; rows of logs that are gone from the disk, and of other machines, are in no store now", reason)
		return
	}
	if s.Logs == 0 && len(s.Saved) == 0 {
		Notice(v.Err, "it held no rows that could be read, but for those of logs that are there")
	} else {
		Notice(v.Err, "saved what only it had, rows of %s: %s", words.Quantity(s.Logs, "log"), amounts(s.Saved))
	}
	if len(s.Lost) > 0 {
		Notice(v.Err, "not saved, as they can't be read, at most: %s; those of logs that are there were loaded again", amounts(s.Lost))
	}
	if len(s.Holes) > 0 {
		Notice(v.Err, "saved without a value, at most: %s", amounts(s.Holes))
	}
	if s.Absent > 0 {
		Notice(v.Err, "of the saved logs %s are lost", words.Quantity(s.Absent, "message"))
	}
}

// printHealed reports how other programs had changed the store's rows, and that hindsql
// loaded all logs again.
func printHealed(v *View, h *engine.Healed) {
	if h == nil {
		return
	}
	what := "rows of the store were changed"
	if len(h.Missing) > 0 {
		what = "taken out of the store: " + amounts(h.Missing)
	}
	Notice(v.Err, "%s, and not by hindsql; all logs were loaded again", what)
	if len(h.Lost) > 0 {
		Notice(v.Err, "lost, as no log has them any more: %s", amounts(h.Lost))
	}
}

func amounts(list []engine.TableRows) string {
	return lists.Join(list, ", ", func(t engine.TableRows) string { return words.Quantity(t.Rows, "row") + " of " + t.Table })
}

// Progress shows on a terminal how far a sync is, once patience has passed. A nil
// Progress shows nothing.
type Progress struct {
	out   io.Writer
	start time.Time
	bar   *progressbar.ProgressBar
}

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

// NewProgress returns a Progress for a terminal.
func NewProgress(out io.Writer) *Progress { return &Progress{out: out} }

func newBar(out io.Writer, total int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(Unescaped(out)),
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

// Exported summarizes an export in a line.
func Exported(r export.Report) string {
	parts := []string{words.Quantity(r.Tables, "table"), words.Quantity(r.Rows, "row"),
		words.Quantity(r.Files, "file") + " written, " + words.Size(r.Bytes)}
	if r.Unchanged > 0 {
		parts = append(parts, fmt.Sprintf("%d unchanged", r.Unchanged))
	}
	if r.Removed > 0 {
		parts = append(parts, fmt.Sprintf("%d removed", r.Removed))
	}
	return "exported " + strings.Join(append(parts, words.Duration(r.Elapsed)), "; ")
}

// Redacted returns a text with the number of secrets that each rule replaced, the
// highest number first.
func Redacted(counts map[string]int64) string {
	var sum int64
	var rules []string
	for rule, n := range counts {
		sum += n
		rules = append(rules, rule)
	}
	if sum == 0 {
		return "redacted no secrets"
	}
	slices.SortFunc(rules, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for i, rule := range rules {
		rules[i] = fmt.Sprintf("%d %s", counts[rule], rule)
	}
	return "redacted " + words.Quantity(sum, "secret") + ": " + strings.Join(rules, ", ")
}
