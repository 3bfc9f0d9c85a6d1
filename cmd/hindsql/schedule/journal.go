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

	"github.com/gofrs/flock"

	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
)

// Status is how a run stands.
type Status string

// The ways in which a run stands. One whose process died is Running until the
// report is due again, and then Failed.
const (
	Running Status = "running"
	OK      Status = "ok"
	Alert   Status = "alert" // ran, and has something to tell
	Failed  Status = "failed"
)

// Run is an attempt to make a report for a period: a row of report_runs.
type Run struct {
	Name        string    `json:"name"`
	PeriodStart time.Time `json:"period_start"`
	PeriodEnd   time.Time `json:"period_end"`
	StartedAt   time.Time `json:"started_at"`
	FinishedAt  time.Time `json:"finished_at,omitzero"` // zero while running
	Status      Status    `json:"status"`
	Error       string    `json:"error,omitempty"` // why it failed; of one that didn't, what went wrong after it, such as Notify
	Output      string    `json:"output,omitempty"`
	Attempt     int       `json:"attempt"` // for this period, from 1 on
}

func (r Run) finished() bool { return r.Status == OK || r.Status == Alert }

// Journal keeps the runs in a file to which lines are only ever added, each of
// them a run as it stood then: the last line of a run holds. A line that a
// killed process left unfinished is none.
type Journal struct {
	Path string // its folder, made with mode 0700, has the locks too
}

// Add writes a line, and has the disk keep it before it returns.
func (j Journal) Add(r Run) error {
	r.Error = shorten(r.Error)
	line, err := json.Marshal(utc(r))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(j.Path), 0o700); err != nil {
		return err
	}
	lock := flock.New(j.Path+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Unlock()
	return appendLine(j.Path, line)
}

// utc is a run with its times as all lines have them.
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

// appendLine ends a line that was cut off before it adds its own.
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

// Runs gives the runs of a report, or of all for "", each as it stands, in the
// order in which they began.
func (j Journal) Runs(name string) ([]Run, error) {
	text, err := os.ReadFile(j.Path)
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

// lock takes the right to run a report; false when another process has it.
// The system gives it back when this one dies.
func (j Journal) lock(name string) (release func(), taken bool, err error) {
	if err := os.MkdirAll(filepath.Dir(j.Path), 0o700); err != nil {
		return nil, false, err
	}
	lock := flock.New(filepath.Join(filepath.Dir(j.Path), name+".lock"), flock.SetPermissions(0o600))
	taken, err = lock.TryLock()
	return func() { _ = lock.Unlock() }, taken, err
}
