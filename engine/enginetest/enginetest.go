// Package enginetest holds helpers for tests of the engine and of the packages above.
//
// In: lines of a made-up agent's logs ([Toy], [Line]), or the sample. Out: a [Home]
// with those logs and a store, its rows ([Home.Want], [Home.Dump]), and a comparison of
// the store with a clean load of the same logs ([Home.LikeClean]). A [Child] is the
// test's binary started as another process that can be killed. A package with children
// calls [Main] in its TestMain.
package enginetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hindsql/engine"
	"hindsql/engine/prune"
	"hindsql/internal/result"
)

// Face is a session and its Store, as the command line and the program's other user
// interfaces (faces) use them.
type Face struct {
	*engine.Session
	*engine.Store
	closed *sync.Once
}

// Close closes the session and the store. A second call does nothing.
func (f Face) Close() (err error) {
	f.closed.Do(func() { err = errors.Join(f.Session.Close(), f.Store.Close()) })
	return err
}

// Prune drops the rows of deleted logs or, if other isn't empty, of another machine.
func (f Face) Prune(ctx context.Context, other string) (files int, rows int64, err error) {
	return prune.Run(ctx, f.Store, prune.Filter{Host: other})
}

// Sync calls the session's Sync.
func (f Face) Sync(ctx context.Context, o engine.SyncOptions) (engine.SyncReport, error) {
	return f.Session.Sync(ctx, o)
}

// Safely returns the config with bounds.
func Safely(c engine.Config, bounds engine.Safe) engine.Config {
	c.Safe = &bounds
	return c
}

// TryOpen opens a store, and begins a session.
func TryOpen(c engine.Config) (f Face, err error) {
	f.closed = &sync.Once{}
	if f.Store, err = engine.Open(context.Background(), c); err != nil {
		return f, err
	}
	if f.Session, err = f.Store.Session(context.Background()); err != nil {
		err = errors.Join(err, f.Store.Close())
	}
	return f, err
}

// Open is TryOpen, closed when the test ends.
func Open(t testing.TB, c engine.Config) Face {
	t.Helper()
	f, err := TryOpen(c)
	Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// Rows returns the rows of a query's statements, with values divided by bars.
func Rows(t testing.TB, s Face, query string) []string {
	t.Helper()
	list, err := TryRows(s, query, nil)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

// TryRows is Rows for a statement that may fail, with arguments.
func TryRows(s Face, query string, args map[string]any) (list []string, err error) {
	err = s.Query(context.Background(), query, args, func(r *result.Rows) error {
		for r.Next() {
			var cells []string
			for _, v := range r.Values() {
				if v == nil {
					v = "NULL"
				}
				cells = append(cells, fmt.Sprint(v))
			}
			list = append(list, strings.Join(cells, "|"))
		}
		return r.Err()
	})
	return list, err
}

// Must ends the test if err isn't nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
