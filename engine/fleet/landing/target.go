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

// Target is a place that holds files by slash-separated names. A file that is
// put appears whole, in place of one of its name.
type Target struct {
	URL    string // without keys
	Folder string // its path, where it is one; empty for a bucket
	Place  string // the same for two URLs of one place, as far as can be told from here

	// Put writes a file of so many bytes.
	Put func(ctx context.Context, name string, r io.Reader, size int64) error
	// Get opens a file. The error of one that isn't there is fs.ErrNotExist; of one
	// that may not be read, fs.ErrPermission.
	Get func(ctx context.Context, name string) (io.ReadCloser, error)
	// List calls visit for each file below a folder; there may be none.
	List func(ctx context.Context, folder string, visit func(Entry) error) error
	// Folders gives the names of the folders in a folder, without those below.
	Folders func(ctx context.Context, folder string) ([]string, error)
	// Remove removes a file; one that isn't there is no error.
	Remove func(ctx context.Context, name string) error
}

// Entry is a file of a target.
type Entry struct {
	Name       string
	Bytes      int64
	ModifiedAt time.Time
}

// Options say how an S3 API is reached. Keys come from the environment, as AWS's
// own programs have them: AWS_ACCESS_KEY_ID …, the shared credentials file.
type Options struct {
	Endpoint string // URL of the API; empty for AWS's, or Google's for gs://
	Region   string // of the bucket; required for s3://
	Getenv   func(string) string
	Home     string // what ~ stands for, and where a shared file of keys may lie; empty for none
}

// Check sees that a folder is one, which has to be there or not. Of a bucket only
// its API knows.
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

// errNoTarget says what a target looks like.
var errNoTarget = errors.New("no target; a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX")

// Open gives the target of a URL: a folder, s3://BUCKET/PREFIX, or gs://BUCKET/PREFIX.
// Nothing is read or written yet.
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

// Canonical is a target's URL as [Target] has it, of whatever a person wrote: of a
// folder its absolute path, in which ~ stands for home.
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
