package confined

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"

	"hindsql/engine/duck"
	"hindsql/engine/loglines"
	"hindsql/engine/sandbox"
	"hindsql/engine/store"
	"hindsql/internal/regular"
	"hindsql/readers"
	"hindsql/tables"
)

// reply gives the worker a line of a log, or the rows of a list.
func (c *Pool) reply(ctx context.Context, call *sandbox.Call) (any, []byte, error) {
	if call.Method == askLine {
		return decodeFor(call, func(w lineRequest) (any, []byte, error) { return c.line(ctx, w) })
	}
	return decodeFor(call, func(list string) (any, []byte, error) {
		text, err := c.rows.List(list, len(c.scopes) == 0)
		if c.bounds.Redact != nil {
			text = c.bounds.Redact(text, true)
		}
		return nil, []byte(text), err
	})
}

// line gives the worker a line of a log, for a running statement. The line is redacted
// if rows are redacted.
func (c *Pool) line(ctx context.Context, w lineRequest) (any, []byte, error) {
	taken, runs := c.statements.Load(w.Statement)
	if !runs {
		return nil, nil, ErrSafe
	}
	line, err := c.lines.Call(ctx, []driver.Value{w.Source, w.Line})
	text, found := line.(string)
	if err != nil || !found {
		return false, nil, err
	}
	if c.bounds.Redact != nil {
		text = c.bounds.Redact(text, json.Valid([]byte(text)))
	}
	if taken.(*atomic.Int64).Add(int64(len(text))) > mostResult {
		return nil, nil, errors.New("raw(): the statement has read 1 GB of lines; ask for fewer")
	}
	return true, []byte(text), nil
}

// logLines reads lines of logs in scope that lie below the roots. No link leads out of
// the roots.
func (c *Pool) logLines(d *loglines.Disks) *loglines.Lines {
	return loglines.New(store.File{Path: c.rows.Config().Store}, c.paths, func(path string) (*readers.File, error) {
		return d.LinesDog().OpenWith(path, c.openBelowRoots)
	})
}

// paths returns the paths of the logs in scope by source_id.
func (c *Pool) paths(ctx context.Context) (paths map[int64]string, err error) {
	err = c.rows.Read(ctx, duck.Named, func(r *duck.Reading) error {
		paths, err = duck.LogPaths(ctx, r.Each, c.rows.Config().Machine, c.scopes.Condition(tables.Named("sources")))
		return err
	})
	return paths, err
}

// openBelowRoots opens a file that lies below a root of logs.
func (c *Pool) openBelowRoots(path string) (*os.File, error) {
	roots, err := c.rows.Roots()
	for _, root := range roots {
		below, relErr := filepath.Rel(root, path)
		if relErr != nil || !filepath.IsLocal(below) {
			continue
		}
		file, openErr := openIn(root, below)
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

// openIn opens a regular file in a folder. No link leads out of the folder.
func openIn(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return regular.OpenIn(root, name)
}
