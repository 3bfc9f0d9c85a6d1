// Package landing defines the layout of pushed rows at a target. Each machine has a
// prefix with files of rows and a manifest that names the live files.
//
//	landing/v1/MACHINE/manifest.json                       the live files, written last
//	landing/v1/MACHINE/TABLE/DAY.HASH.parquet              rows of a table, without copies
//	landing/v1/MACHINE/beside/TABLE/DAY.HASH.parquet       copies, and internal tables, needed only by a pull
//	landing/v1/MACHINE/forgotten.json                      a tombstone
//
// DAY is the UTC day of the rows' own time, such as 2026-11-21, or "undated" for rows
// without a time. HASH depends on the rows and their schema, so two different contents
// never share a name. Files that no manifest names are ignored. Readers take a
// machine's manifest and all files named in it, or keep the rows of their last read.
//
// In: the URL of a target. Out: its manifests, and files by name. The package opens no
// database and knows no table by name.
package landing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
)

// Root is the top folder of the landing below a target.
const Root = "landing/v1"

// The names of files besides files of rows.
const (
	ManifestName  = "manifest.json"
	TombstoneName = "forgotten.json"
	CommitterName = "committer.json" // in Root; exists if a committer (a program such as hindsql-lake) deletes superseded files
)

// A committer makes a company's Iceberg tables from a landing. Namespace has views in
// which each row occurs once. Namespace with the suffix Copies has all rows. Both names
// are on the same level, because nested namespaces need a switch in Trino and quotes in
// Spark, and ClickHouse and DuckDB can't name them.
const (
	Namespace = "hindsql"
	Copies    = "_with_copies"
)

// Undated is the day of rows without a time of their own.
const Undated = "undated"

// machineForm matches machine ids, which serve as folder names.
var machineForm = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// Prefix returns a machine's folder. It returns an error if the id can't be a folder
// name.
func Prefix(machine string) (string, error) {
	if !machineForm.MatchString(machine) {
		return "", fmt.Errorf("machine %q: no id of a machine; letters, digits, dots, hyphens", machine)
	}
	return Root + "/" + machine, nil
}

// FileName returns the path of a file of rows below its machine's prefix. hash is in
// hexadecimal digits.
func FileName(table string, beside bool, day, hash string) string {
	name := path.Join(table, day+"."+hash+".parquet")
	if beside {
		name = path.Join("beside", name)
	}
	return name
}

// fileForm matches the paths that FileName returns.
var fileForm = pattern.Lazy(`^(beside/)?([a-z][a-z0-9_]*)/(\d{4}-\d{2}-\d{2}|` + Undated + `)\.([0-9a-f]{8,64})\.parquet$`)

// IsFile reports whether FileName could return the path, below a machine's prefix.
func IsFile(name string) bool { return fileForm.MatchString(name) }

// ScanSQL returns the SQL of the rows of files of one table, read by column name, because
// machines may push with different versions.
func ScanSQL(paths []string) string {
	return "read_parquet([" + sqltext.Literals(paths) + "], union_by_name = true, hive_partitioning = false)"
}

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
