package landing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/atomicfile"
)

// Target is a place for files with slash-separated names. Put replaces a file
// atomically, so readers see only whole files.
type Target struct {
	URL    string // without keys
	Folder string // path of the folder; empty for a bucket
	Place  string // equal for two URLs of the same place, as far as this machine can tell

	// Put writes a file of size bytes.
	Put func(ctx context.Context, name string, r io.Reader, size int64) error
	// Get opens a file. It returns fs.ErrNotExist for a missing file, and
	// fs.ErrPermission for a forbidden file.
	Get func(ctx context.Context, name string) (io.ReadCloser, error)
	// List calls visit for each file below a folder. A missing folder has no files.
	List func(ctx context.Context, folder string, visit func(Entry) error) error
	// Folders returns the names of a folder's direct subfolders.
	Folders func(ctx context.Context, folder string) ([]string, error)
	// Remove deletes a file. A missing file is no error.
	Remove func(ctx context.Context, name string) error
}

// Entry is a file of a target.
type Entry struct {
	Name       string
	Bytes      int64
	ModifiedAt time.Time
}

// Options tell how to reach an S3 API. Keys come from the environment, as for AWS's own
// programs: AWS_ACCESS_KEY_ID …, the shared credentials file.
type Options struct {
	Endpoint string // URL of the API; empty for AWS's, or Google's for gs://
	Region   string // of the bucket; required for s3://
	Getenv   func(string) string
	Home     string // replaces ~, and may contain the shared credentials file; empty if unknown
}

// Check checks that a folder target is a folder. A missing folder is an error only if
// hasToBe. Buckets aren't checked, because only their API knows.
func (t *Target) Check(hasToBe bool) error {
	if t.Folder == "" {
		return nil
	}
	info, err := os.Stat(t.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist) && hasToBe:
		return fmt.Errorf("%s: no such folder; see that it is mounted or synchronised, and spelled so", t.Folder)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s: is no folder; name one, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX", t.Folder)
	}
	return err
}

// errNoTarget describes the valid targets.
var errNoTarget = errors.New("no target; a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX")

// Open returns the target of a URL: a folder, s3://BUCKET/PREFIX, or
// gs://BUCKET/PREFIX. It reads and writes nothing.
func Open(url string, o Options) (*Target, error) {
	url, isFolder, err := Canonical(url, o.Home)
	switch {
	case err != nil:
		return nil, err
	case isFolder:
		return openFolder(url), nil
	}
	return openBucket(url, o)
}

// Canonical turns a target as written by a user into the URL for [Target]. A folder
// becomes an absolute path, in which home replaces ~.
func Canonical(written, home string) (url string, isFolder bool, err error) {
	scheme, rest, ok := strings.Cut(written, "://")
	switch {
	case written == "":
		return "", false, errNoTarget
	case ok && (scheme == "s3" || scheme == "gs"):
		return scheme + "://" + strings.TrimSuffix(rest, "/"), false, nil
	case ok && scheme != "file":
		return "", false, fmt.Errorf("%s: %w", written, errNoTarget)
	case !ok:
		rest = written
	}
	if rest == "" {
		return "", false, errNoTarget
	}
	url, err = filepath.Abs(atomicfile.Long(home, rest))
	return url, true, err
}
