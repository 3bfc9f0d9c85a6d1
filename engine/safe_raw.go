package engine

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"hindsql/engine/loglines"
	"hindsql/engine/sandbox"
	"hindsql/internal/regular"
	"hindsql/internal/sqltext"
	"hindsql/readers"
)

// reply gives the worker a line of a log, or the rows of a list.
func (c *confined) reply(ctx context.Context, call *sandbox.Call) (any, []byte, error) {
	if call.Method == askLine {
		return takeFor(call, func(w wanted) (any, []byte, error) { return c.line(ctx, w) })
	}
	return takeFor(call, func(list string) (any, []byte, error) {
		text, err := c.source.list(list, len(c.scopes) == 0)
		if c.bounds.Redact != nil {
			text = c.bounds.Redact(text, true)
		}
		return nil, []byte(text), err
	})
}

// line gives the worker a line of a log, for a running statement. The line is redacted
// if rows are redacted.
func (c *confined) line(ctx context.Context, w wanted) (any, []byte, error) {
	taken, runs := c.statements.Load(w.Statement)
	if !runs {
		return nil, nil, errSafe
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
func (c *confined) logLines(d *disks) *loglines.Lines {
	return loglines.New(d.at, c.paths, func(path string) (*readers.File, error) {
		return d.linesDog().Watched(path, c.openBelowRoots)
	})
}

// paths is [instance.logPaths] for the sources in scope.
func (c *confined) paths(ctx context.Context) (map[int64]string, error) {
	paths := map[int64]string{}
	err := c.reader.Read(ctx, func(r *Reading) error {
		query := fmt.Sprintf("SELECT source_id, if(machine = %s AND part IS NULL AND source_id NOT IN (SELECT source_id FROM %s.forgotten_logs), path, '') FROM %[2]s.sources WHERE %[3]s",
			sqltext.Literal(c.source.Machine()), StoreSchema, c.scopes.Holds(tableNamed("sources")))
		return r.Each(ctx, query, func(scan func(...any) error) error {
			var id int64
			var path string
			err := scan(&id, &path)
			paths[id] = path
			return err
		})
	})
	return paths, err
}

// openBelowRoots opens a file that lies below a root of logs.
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

// openIn opens a regular file in a folder. No link leads out of the folder.
func openIn(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return regular.OpenIn(root, name)
}
