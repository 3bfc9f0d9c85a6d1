package schedule

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/lockfile"
	"hindsql/internal/regular"
	"hindsql/internal/shell"
	"hindsql/internal/words"
)

// Status is the state of a run.
type Status string

// The states of a run.
const (
	OK     Status = "ok"
	Alert  Status = "alert" // made, and its alert condition holds
	Failed Status = "failed"
)

// Run is one attempt of a scheduled command. In SQL it is a row of report_runs.
type Run struct {
	Name        string    `json:"name"`
	PeriodStart time.Time `json:"period_start"`
	PeriodEnd   time.Time `json:"period_end"`
	StartedAt   time.Time `json:"started_at"`
	FinishedAt  time.Time `json:"finished_at"`
	Status      Status    `json:"status"`
	Error       string    `json:"error,omitempty"` // why the run failed; if it succeeded, an error of Notify
	Output      string    `json:"output,omitempty"`
	Attempt     int       `json:"attempt"` // number of the attempt for this period, from 1
}

func (r Run) hasSucceeded() bool { return r.Status == OK || r.Status == Alert }

// Journal stores the runs in a file to which lines are only appended. If a run has
// several lines, the last is valid. A line left incomplete by a killed process is ignored.
type Journal struct {
	Path string // the journal file; its folder, made with mode 0700, also has the locks
}

const longestError = 2000

func shorten(text string) string {
	return words.CutTo(strings.TrimSpace(text), longestError, words.Bytes)
}

// Add appends a line for the run in one write, and syncs the file to disk. The line end
// in front ends a line that a killed process left incomplete.
func (j Journal) Add(r Run) error {
	r.Error = shorten(r.Error)
	for _, t := range []*time.Time{&r.PeriodStart, &r.PeriodEnd, &r.StartedAt, &r.FinishedAt} {
		*t = t.UTC().Truncate(time.Microsecond)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(j.Path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(j.Path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString("\n" + string(line) + "\n")
	return errors.Join(err, file.Sync(), file.Close())
}

// Runs returns the lines about a report, in the order of the file.
func (j Journal) Runs(name string) (runs []Run, err error) {
	text, err := regular.Read(j.Path, regular.Own)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal of reports: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		var r Run
		if json.Unmarshal([]byte(line), &r) == nil && r.Name == name {
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// Made is the result of a scheduled command.
type Made struct {
	Output string // path of the written file; empty: no file
	Alert  bool   // the report's alert condition holds
}

// Runner runs a scheduled command, and tries again if the command fails.
type Runner struct {
	Journal Journal
	Now     func() time.Time
	First   time.Duration                                               // length of the first run's period
	Make    func(ctx context.Context, from, to time.Time) (Made, error) // its context ends after Longest
	Notify  func(context.Context, Run) error                            // called when a report is made, or its last retry failed; nil: no notice
	Longest time.Duration                                               // time limit of one attempt
	Pauses  []time.Duration                                             // before each retry
}

// ErrRunning means that another process makes the report.
var ErrRunning = errors.New("another process is making this report")

// Run makes a report for the time since the last run that succeeded. Between attempts
// it waits; all attempts have the same period.
func (r Runner) Run(ctx context.Context, name string) (run Run, err error) {
	if err := os.MkdirAll(filepath.Dir(r.Journal.Path), 0o700); err != nil {
		return run, err
	}
	lock, err := lockfile.New(filepath.Join(filepath.Dir(r.Journal.Path), name+".lock"))
	if err != nil {
		return run, err
	}
	if taken, err := lock.TryLock(); err != nil || !taken {
		return run, cmp.Or(err, ErrRunning)
	}
	defer lock.Unlock()
	run = Run{Name: name, PeriodEnd: r.Now().Truncate(time.Microsecond)}
	if run.PeriodStart, err = r.since(name, run.PeriodEnd); err != nil {
		return run, err
	}
	for {
		run.Attempt++
		r.attempt(ctx, &run)
		last := run.hasSucceeded() || run.Attempt > len(r.Pauses) || ctx.Err() != nil
		if err := r.Journal.Add(run); err != nil || last {
			err = errors.Join(err, r.notify(ctx, &run)) // changes run
			return run, err
		}
		select {
		case <-ctx.Done():
			return run, ctx.Err()
		case <-time.After(r.Pauses[run.Attempt-1]):
		}
	}
}

// since returns the end of the last run that succeeded. A run that ended in the future,
// while the clock was wrong, doesn't count.
func (r Runner) since(name string, now time.Time) (time.Time, error) {
	runs, err := r.Journal.Runs(name)
	from := now.Add(-r.First)
	for _, before := range runs {
		if before.hasSucceeded() && before.PeriodEnd.Before(now) {
			from = before.PeriodEnd
		}
	}
	return from, err
}

func (r Runner) attempt(ctx context.Context, run *Run) {
	within, cancel := context.WithTimeout(ctx, r.Longest)
	defer cancel()
	run.StartedAt, run.Error = r.Now(), ""
	made, err := r.Make(within, run.PeriodStart, run.PeriodEnd)
	run.FinishedAt, run.Output, run.Status = r.Now(), made.Output, OK
	switch {
	case err != nil && ctx.Err() != nil:
		run.Status, run.Error = Failed, "interrupted"
	case err != nil && within.Err() != nil:
		run.Status, run.Error = Failed, fmt.Sprintf("not done after %v: %v", r.Longest, err)
	case err != nil:
		run.Status, run.Error = Failed, cmp.Or(shorten(err.Error()), "no reason given")
	case made.Alert:
		run.Status = Alert
	}
}

// notify calls Notify, unless a person interrupted the run, and notes its error beside
// the run's own.
func (r Runner) notify(ctx context.Context, run *Run) error {
	if r.Notify != nil && ctx.Err() == nil {
		if err := r.Notify(ctx, *run); err != nil {
			run.Error = strings.TrimPrefix(run.Error+"; notify: "+shorten(err.Error()), "; ")
			return r.Journal.Add(*run)
		}
	}
	return nil
}

// Prune removes old files of a report, and returns the removed paths. The newest keep
// files stay; a keep of 0 keeps all. By the journal, Prune removes only files that a
// run of this report wrote, and whose names begin with the report's name.
func Prune(j Journal, name string, keep int) (removed []string, err error) {
	if keep == 0 {
		return nil, nil
	}
	runs, err := j.Runs(name)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for i := len(runs) - 1; i >= 0; i-- {
		path := runs[i].Output
		switch {
		case path == "" || kept[path] || !runs[i].hasSucceeded():
			continue
		case len(kept) < keep:
			kept[path] = true
			continue
		case !strings.HasPrefix(filepath.Base(path), name+"-") || !filepath.IsAbs(path):
			continue
		}
		switch err := os.Remove(path); {
		case err == nil:
			removed = append(removed, path)
		case !errors.Is(err, fs.ErrNotExist):
			return removed, err
		}
	}
	return removed, nil
}

// longestNotice is the time limit of a notify command, or of sendmail. longestChild is
// how long a child of theirs may keep their output open.
const (
	longestNotice = 5 * time.Minute
	longestChild  = time.Second
)

// Notify runs a command in the shell. The command reads the report file
// from standard input, or the run's error if the run wrote no file. Its environment has
// HINDSQL_REPORT (the report's name), HINDSQL_STATUS (ok, alert or failed) and
// HINDSQL_OUTPUT (the path of the file).
func Notify(ctx context.Context, command string, run Run) error {
	ctx, cancel := context.WithTimeout(ctx, longestNotice)
	defer cancel()
	cmd := shell.Command(ctx, command)
	cmd.WaitDelay = longestChild
	cmd.Env = append(os.Environ(), "HINDSQL_REPORT="+run.Name, "HINDSQL_STATUS="+string(run.Status), "HINDSQL_OUTPUT="+run.Output)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	cmd.Stdin = strings.NewReader(run.Error + "\n")
	if run.Output != "" {
		file, err := regular.Open(run.Output)
		if err != nil {
			return err
		}
		defer file.Close()
		cmd.Stdin = file
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// errNoSendmail means that no program takes mails.
var errNoSendmail = errors.New("no sendmail found on PATH or at /usr/sbin/sendmail; install a mail program that has one, such as msmtp or postfix, or have --notify run another")

// FindSendmail returns the path of the program sendmail: in a folder of path, a value of
// PATH, or where systems keep it. A scheduler's PATH may lack the folder later.
func FindSendmail(path string) (string, error) {
	for _, folder := range append(filepath.SplitList(path), "/usr/sbin", "/usr/lib") {
		if found, err := exec.LookPath(filepath.Join(folder, "sendmail")); err == nil && filepath.IsAbs(found) {
			return found, nil
		}
	}
	return "", errNoSendmail
}

// Sendmail has the program sendmail send a mail to the recipients in its header. The
// error has the program's exit status, and what the program said.
func Sendmail(ctx context.Context, program string, mail io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, longestNotice)
	defer cancel()
	if !filepath.IsAbs(program) {
		return fmt.Errorf("sendmail %q: no absolute path; install the report again with --mail-to", program)
	}
	cmd := exec.CommandContext(ctx, program, "-t", "-i") // -i: a dot alone on a line doesn't end the mail
	cmd.WaitDelay = longestChild
	var said bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Environ(), mail, io.Discard, &said
	err := cmd.Run()
	switch text := words.Line(said.String(), longestError/2); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: not done after %s: %s", program, words.Duration(longestNotice), text)
	case text == "":
		return fmt.Errorf("%s: %w", program, err)
	default:
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(text))
	}
}
