package readertest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// versionFile, beside the samples, records the reader's Version, the schema, and for
// each sample a digest of the logs and a digest of the rows. A store reads a log again
// only when Version or schema changes. If a reader changes the rows of the same logs
// without a new Version, every store keeps old rows.
const versionFile = "version.txt"

// record is the content of versionFile.
type record struct {
	version, schema string
	samples         map[string]digests // by name of the sample
}

type digests struct{ logs, rows string }

func parseRecord(text string) record {
	r := record{samples: map[string]digests{}}
	for line := range strings.Lines(text) {
		switch f := strings.Fields(line); {
		case len(f) == 4 && f[0] == "version":
			r.version, r.schema = f[1], f[3]
		case len(f) == 3:
			r.samples[f[0]] = digests{f[1], f[2]}
		}
	}
	return r
}

func (r record) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "version %s schema %s\n", r.version, r.schema)
	for _, name := range slices.Sorted(maps.Keys(r.samples)) {
		fmt.Fprintf(&out, "%s %s %s\n", name, r.samples[name].logs, r.samples[name].rows)
	}
	return out.String()
}

// currentRecord returns the record of the current samples.
func currentRecord(r *readers.Reader, samples []*sample) record {
	n := record{fmt.Sprint(r.Version), tables.SchemaHash(), map[string]digests{}}
	for _, s := range samples {
		n.samples[s.name] = s.digests()
	}
	return n
}

func (s *sample) digests() digests {
	logs, out := sha256.New(), sha256.New()
	_ = s.files(func(rel string, data []byte) error { // files returns only visit's errors
		fmt.Fprintf(logs, "%s %d\n%s", rel, len(data), data)
		return nil
	})
	rows := s.rows()
	for _, t := range tables.All() {
		fmt.Fprintf(out, "%s\n%s", t.Name, format(t, rows[t.Name]))
	}
	return digests{fmt.Sprintf("%x", logs.Sum(nil)[:6]), fmt.Sprintf("%x", out.Sum(nil)[:6])}
}

// changed returns the samples whose logs are the same as in r but whose rows differ. If
// the Version or the schema has changed, stores read the logs again, so it returns
// none.
func (r record) changed(n record) (names []string) {
	if r.version != n.version || r.schema != n.schema {
		return nil
	}
	for name, was := range r.samples {
		if is, ok := n.samples[name]; ok && is.logs == was.logs && is.rows != was.rows {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkVersion compares the samples' rows with the record in dir. If update, it
// rewrites the record, unless the Version must change first. It never must if the record
// isn't committed: no store has rows of the reader then.
func checkVersion(r *readers.Reader, samples []*sample, dir string, update, committed bool) error {
	path := filepath.Join(dir, versionFile)
	text, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	was, is := parseRecord(string(text)), currentRecord(r, samples)
	switch names := was.changed(is); {
	case names != nil && committed:
		return fmt.Errorf("version %d of the reader of %s gives other rows than before for the same logs (samples %s): add 1 to its Version, so that stores read their logs again, and run make update. If the earlier rows came from a change that isn't committed, no store has them: take %s back from git instead, and run make update",
			r.Version, r.Agent, strings.Join(names, ", "), path)
	case update:
		return os.WriteFile(path, []byte(is.String()), 0o644)
	case missing:
		return fmt.Errorf("there is no %s yet; go test -update or make update writes it", path)
	case !maps.Equal(was.samples, is.samples) || was.version != is.version:
		return fmt.Errorf("%s is out of date; go test -update or make update rewrites it", path)
	}
	return nil
}

// isCommitted reports whether git's current commit has the file, or may have it: without
// git, or outside of a repository, every file counts as committed.
func isCommitted(ctx context.Context, path string) bool {
	git := exec.CommandContext(ctx, "git", "ls-tree", "--name-only", "HEAD", "--", filepath.Base(path))
	git.Dir = filepath.Dir(path)
	names, err := git.Output()
	return err != nil || len(names) > 0
}
