package schedule

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"

	"github.com/BurntSushi/toml"
)

// jobsMark is the first line of a file written by Save.
const jobsMark = "# Written by hindsql report install; hindsql report uninstall takes reports out again.\n"

// Load reads the jobs file, which has a table [reports.NAME] for each job, and returns
// the jobs sorted by name. A missing file holds no jobs.
func Load(path string) ([]Job, error) {
	var file struct {
		Reports map[string]Job `toml:"reports"`
	}
	text, err := regular.Read(path, regular.Own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	meta, err := toml.Decode(string(text), &file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(meta.Undecoded()) > 0:
		return nil, fmt.Errorf("%s: unknown key %s", path, meta.Undecoded()[0])
	}
	var jobs []Job
	for name, job := range file.Reports {
		job.Name = name
		jobs = append(jobs, job)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return strings.Compare(a.Name, b.Name) })
	return jobs, nil
}

// Save writes the whole jobs file atomically; without jobs it removes the file. If the
// file wasn't written by Save, Save leaves it unchanged and returns an error.
func Save(path string, jobs []Job) error {
	switch text, err := regular.Read(path, regular.Own); {
	case errors.Is(err, fs.ErrNotExist) && len(jobs) == 0:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !bytes.HasPrefix(text, []byte(jobsMark)):
		return fmt.Errorf("%s: not written by hindsql report install; change it by hand, or move it away", path)
	case len(jobs) == 0:
		return os.Remove(path)
	}
	text := bytes.NewBufferString(jobsMark)
	reports := map[string]Job{}
	for _, job := range jobs {
		reports[job.Name] = job
	}
	if err := toml.NewEncoder(text).Encode(map[string]any{"reports": reports}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, text.Bytes())
}

// TakeOut removes the named jobs from the file. Without names it removes all reports,
// but keeps pushes. It returns the file's jobs from before the removal, and those left.
func TakeOut(path string, names []string) (before, left []Job, err error) {
	if before, err = Load(path); err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(before, func(j Job) bool { return j.Name == name }) {
			return nil, nil, fmt.Errorf("report %s: %w", name, ErrNotInstalled)
		}
	}
	left = slices.DeleteFunc(slices.Clone(before), func(j Job) bool {
		return len(names) == 0 && j.Push == "" || slices.Contains(names, j.Name)
	})
	if len(left) == len(before) {
		return before, left, nil
	}
	return before, left, Save(path, left)
}

// ErrNotInstalled means the file has no job of the given name.
var ErrNotInstalled = errors.New("not installed")

// With returns jobs plus job, which replaces a job of the same name.
func With(jobs []Job, job Job) []Job {
	return append(slices.DeleteFunc(jobs, func(j Job) bool { return j.Name == job.Name }), job)
}
