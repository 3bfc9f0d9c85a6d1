package schedule

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Told formats the user's messages about scheduled jobs. Short shortens a path.
type Told struct{ Short func(path string) string }

// Outcome describes the result of a job that was due. wrong is the text of an error,
// and line a line about the run; either may be empty. If quiet is true, line is empty
// unless the run has an alert.
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

// Job describes a job's schedule, next run in a time zone, and output.
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
	if job.Redact && len(job.MailTo) == 0 {
		line += ", secrets replaced"
	}
	if len(job.MailTo) > 0 {
		line += fmt.Sprintf(", mailed to %s by %s without private projects, secrets %s", strings.Join(job.MailTo, ", "), t.Short(job.Sendmail),
			map[bool]string{true: "kept", false: "replaced"}[job.MailSecrets])
	}
	if job.Notify != "" {
		line += ", then to: " + job.Notify
	}
	return line, nil
}

// Step describes a step of an install, after a blank line.
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

// Removed describes a file, the crontab lines or the task that was removed. what is an element
// of [System.Remove]'s result.
func (t Told) Removed(what string) string {
	switch what {
	case Crontab:
		return "crontab: hindsql's lines removed"
	case Task:
		return fmt.Sprintf("task %q: removed", Task)
	}
	return t.Short(what) + ": removed"
}
