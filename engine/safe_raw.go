package engine

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/readers"
)

// rawLine gives lines of logs in scope that lie below the roots; no link leads
// out of them. Secrets are replaced where they are in the tables.
func (c *confined) rawLine(st *Store) duckdb.RowContextExecutorFn {
	logs := &logLines{paths: st.logPaths, open: func(path string) (*readers.File, error) { return st.linesDog().Watched(path, c.openBelowRoots) }, files: map[int64]*lineIndex{}}
	return func(ctx context.Context, values []driver.Value) (any, error) {
		line, err := logs.call(ctx, values)
		if text, ok := line.(string); ok && c.bounds.Redact != nil {
			line = c.bounds.Redact(text, json.Valid([]byte(text)))
		}
		return line, err
	}
}

// openBelowRoots opens a file that lies below a folder which is searched for
// logs.
func (c *confined) openBelowRoots(path string) (*os.File, error) {
	places, err := c.source.Places()
	for _, place := range places {
		below, relErr := filepath.Rel(place.Path, path)
		if relErr != nil || !filepath.IsLocal(below) {
			continue
		}
		file, openErr := openIn(place.Path, below)
		if openErr == nil {
			return file, nil
		}
		err = errors.Join(err, openErr)
	}
	if err == nil {
		err = os.ErrNotExist
	}
	return nil, err
}

// openIn opens a regular file in a folder, out of which no link leads.
func openIn(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, os.ErrInvalid)
	}
	return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
}
