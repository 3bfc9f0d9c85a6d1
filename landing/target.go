package landing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Target is a place that holds files by slash-separated names. A file that is
// put appears whole, in place of one of its name.
type Target struct {
	URL string // without keys

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
	Home     string // where a shared file of keys may lie; empty for none
}

// errNoTarget says what a target looks like.
var errNoTarget = errors.New("no target; a folder, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX")

// Open gives the target of a URL: a folder, s3://BUCKET/PREFIX, or gs://BUCKET/PREFIX.
// Nothing is read or written yet.
func Open(url string, o Options) (*Target, error) {
	scheme, rest, ok := strings.Cut(url, "://")
	switch {
	case url == "":
		return nil, errNoTarget
	case !ok:
		return openFolder(url)
	case scheme == "file":
		return openFolder(rest)
	case scheme == "s3" || scheme == "gs":
		return openBucket(scheme, rest, o)
	}
	return nil, fmt.Errorf("%s: %w", url, errNoTarget)
}
