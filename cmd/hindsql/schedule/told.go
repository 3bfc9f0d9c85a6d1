package schedule

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Told is what a person hears of what is on the schedule. Short shortens a path for
// them.
type Told struct{ Short func(path string) string }

// Outcome says what became of a job that was due: what is wrong, and a line for what
// is there; empty for nothing. Quiet leaves out a line that asks for nothing.
func (t Told) Outcome(o Outcome, quiet bool) (wrong, line string) {
	run := o.Run
	switch {
	case o.Err != nil:
		return o.Err.Error(), ""
	case run.Status == Failed:
		return fmt.Sprintf("report %s: %s", run.Name, run.Error), ""
	case run.Error != "":
		wrong = fmt.Sprintf("report %s: %s, but %s", run.Name, run.Status, run.Error)
	}
	if quiet && run.Status != Alert {
		return wrong, ""
	}
	line = run.Name + ": " + string(run.Status)
	if run.Output != "" {
		line += ", " + t.Short(run.Output)
	}
	return wrong, line
}

// Job says when a job runs in a time zone, and what becomes of it.
func (t Told) Job(job Job, zone *time.Location, now time.Time) (string, error) {
	when, err := Parse(job.Schedule, zone)
	if err != nil {
		return "", err
	}
	next := fmt.Sprintf("%s, next on %s", when, when.Next(now).Format("Mon 2006-01-02 at 15:04"))
	if job.Push != "" {
		return fmt.Sprintf("Push to %s: %s; texts %s", t.Short(job.Push), next, cmp.Or(job.Texts, "as push.toml says, else redacted")), nil
	}
	line := fmt.Sprintf("Report %s: %s, into %s", job.Name, next, t.Short(job.Output))
	if job.Keep > 0 {
		line += fmt.Sprintf(", the newest %d kept", job.Keep)
	}
	if job.Redact {
		line += ", secrets replaced"
	}
	if job.Notify != "" {
		line += ", then to: " + job.Notify
	}
	return line, nil
}

// Step says what a scheduler is told, or which file it gets, with a blank line before.
func (t Told) Step(step Step) string {
	title := step.Title
	if step.File != "" {
		title = "Into " + t.Short(step.File) + ":"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s\n", title)
	for line := range strings.Lines(step.Text) {
		fmt.Fprintf(&text, "  %s\n", strings.TrimSuffix(line, "\n"))
	}
	return text.String()
}

// Removed says what was taken back from a scheduler, as [System.Remove] gives it.
func (t Told) Removed(what string) string {
	if what == Crontab {
		return "crontab: hindsql's lines removed"
	}
	return t.Short(what) + ": removed"
}
