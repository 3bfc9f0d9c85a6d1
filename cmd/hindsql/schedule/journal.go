package schedule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/internal/lockfile"
	"hindsql/internal/regular"
	"hindsql/internal/words"
)

// Status is the state of a run.
type Status string

// The states of a run. A run whose process died stays Running. It becomes Failed when
// the report is due again.
const (
	Running Status = "running"
	OK      Status = "ok"
	Alert   Status = "alert" // made, and its alert condition holds
	Failed  Status = "failed"
)

// Run is one attempt to make a report for a period. In SQL it is a row of report_runs.
type Run struct {
	Name        string    `json:"name"`
	PeriodStart time.Time `json:"period_start"`
	PeriodEnd   time.Time `json:"period_end"`
	StartedAt   time.Time `json:"started_at"`
	FinishedAt  time.Time `json:"finished_at,omitzero"` // zero while running
	Status      Status    `json:"status"`
	Error       string    `json:"error,omitempty"` // why the run failed; if it succeeded, a later error, e.g. of Notify
	Output      string    `json:"output,omitempty"`
	Attempt     int       `json:"attempt"` // number of the attempt for this period, from 1
}

func (r Run) finished() bool { return r.Status == OK || r.Status == Alert }

// Journal stores the runs in a file to which lines are only appended. Each line holds
// the state of a run when the line was written, so the last line about a run is valid.
// A line left incomplete by a killed process is ignored.
type Journal struct {
	Path string // the journal file; its folder, made with mode 0700, also has the locks
}

// Add appends a line for the run, and syncs the file to disk before it returns.
func (j Journal) Add(r Run) error {
	r.Error = shorten(r.Error)
	line, err := json.Marshal(utc(r))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(j.Path), 0o700); err != nil {
		return err
	}
	lock, err := lockfile.New(j.Path + ".lock")
	if err != nil {
		return err
	}
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	return appendLine(j.Path, line)
}

// utc returns the run with its times in UTC and truncated to microseconds, as the
// journal stores them.
func utc(r Run) Run {
	for _, t := range []*time.Time{&r.PeriodStart, &r.PeriodEnd, &r.StartedAt, &r.FinishedAt} {
		*t = t.UTC().Truncate(time.Microsecond)
	}
	return r
}

const longestError = 2000

func shorten(text string) string {
	return words.CutTo(strings.TrimSpace(text), longestError, words.Bytes)
}

// appendLine appends a line. If the file's last line is incomplete, appendLine first
// ends that line.
func appendLine(path string, line []byte) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := atomicfile.Tighten(path); err != nil {
		return err
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	last := []byte("\n")
	if end > 0 {
		if _, err := file.ReadAt(last, end-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		line = append([]byte("\n"), line...)
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return err
	}
	return file.Sync()
}

// Runs returns the latest state of each run of a report, in the order of their start.
// An empty name means all reports.
func (j Journal) Runs(name string) ([]Run, error) {
	text, err := regular.Read(j.Path, regular.Own)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("journal of reports: %w", err)
	}
	type key struct {
		name       string
		start, end time.Time
		attempt    int
	}
	var runs []Run
	place := map[key]int{}
	begin := []byte("{")
	if name != "" {
		begin = []byte(`{"name":"` + name + `",`)
	}
	for line := range bytes.Lines(text) {
		var r Run
		if !bytes.HasPrefix(line, begin) || json.Unmarshal(line, &r) != nil {
			continue
		}
		k := key{r.Name, r.PeriodStart, r.PeriodEnd, r.Attempt}
		if i, ok := place[k]; ok {
			runs[i] = r
			continue
		}
		place[k] = len(runs)
		runs = append(runs, r)
	}
	return runs, nil
}

// lock takes the lock for running a report. taken is false if another process has the
// lock. The operating system releases the lock if this process dies.
func (j Journal) lock(name string) (release func(), taken bool, err error) {
	if err := os.MkdirAll(filepath.Dir(j.Path), 0o700); err != nil {
		return nil, false, err
	}
	lock, err := lockfile.New(filepath.Join(filepath.Dir(j.Path), name+".lock"))
	if err != nil {
		return nil, false, err
	}
	taken, err = lock.TryLock()
	return func() { _ = lock.Unlock() }, taken, err
}
