package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hindsql/tables"
)

// rebuild makes a store from the logs in a file beside the old one, and then
// puts it in its place: the first load, a full one, and the one after a change
// of the tables. Nobody waits: others read the old store until the new one is
// whole. All rows go in in one transaction, so that DuckDB writes them while
// others are parsed, and without a log; links are another, as what they update
// would be written twice. Rows whose files are no longer found are carried over.
func (s *Session) rebuild(ctx context.Context, p plan, carry bool) (problems int64, err error) {
	store := s.config.Store
	defer removeStore(s.draft())
	if !carry {
		// The log of a store that somebody removed is not the new one's.
		if err := removeStore(store); err != nil {
			return 0, err
		}
	}
	l, err := openLoader(ctx, store)
	if err != nil {
		return 0, err
	}
	defer l.close()
	problems, err = s.makeStore(ctx, l, p, carry)
	if l.lacksMemory(err) {
		if err = cmp.Or(l.reopen(ctx, store), removeStore(s.draft())); err == nil {
			problems, err = s.makeStore(ctx, l, p, carry)
		}
	}
	return problems, err
}

func (s *Session) makeStore(ctx context.Context, l *loader, p plan, carry bool) (problems int64, err error) {
	store, draft := s.config.Store, s.draft()
	if carry {
		// What a killed process left in the old store's log goes into its file,
		// as the log must not outlive it.
		if err := l.checkpoint(ctx, store); err != nil {
			return 0, storeError(store, err)
		}
	}
	if err := l.attach(ctx, draft); err != nil {
		return 0, storeError(draft, err)
	}
	if err := os.Chmod(draft, 0o600); err != nil {
		return 0, err
	}
	if carry {
		if err := l.attachOld(ctx, store); err != nil {
			return 0, storeError(store, err)
		}
	}
	err = l.transaction(ctx, func() error {
		problems, err = s.fill(ctx, l, p, carry)
		return err
	})
	if err == nil {
		err = l.transaction(ctx, func() error { return l.link(ctx) })
	}
	if err == nil {
		err = l.remember(ctx)
	}
	if err != nil {
		return problems, err
	}
	if carry {
		if err := l.exec(ctx, "DETACH old"); err != nil {
			return problems, err
		}
	}
	if err := l.detach(ctx); err != nil {
		return problems, storeError(draft, err)
	}
	s.viewed = false
	// The old store has no log any more, and only who holds the sync's lock writes to it.
	return problems, os.Rename(draft, store)
}

// draft is where a store is made; one that was cut off is in the next one's way.
func (s *Session) draft() string { return s.config.Store + ".new" }

func (s *Session) fill(ctx context.Context, l *loader, p plan, carry bool) (int64, error) {
	problems, err := s.load(ctx, p.load,
		func() error { return l.create(ctx) },
		func(b *tables.Batch) error { return l.gather(ctx, b) })
	if err == nil {
		err = l.flush(ctx)
	}
	if err != nil || !carry {
		return problems, err
	}
	if err := l.carryOver(ctx); err != nil {
		return problems, err
	}
	return problems, l.markGone(ctx, p)
}

func (l *loader) attachOld(ctx context.Context, store string) error {
	return retryLocked(ctx, func() error {
		return l.exec(ctx, fmt.Sprintf("ATTACH %s AS old (READ_ONLY)", quote(store)))
	})
}

// checkpoint writes what is in a store's log into its file.
func (l *loader) checkpoint(ctx context.Context, store string) error {
	if err := l.attach(ctx, store); err != nil {
		return err
	}
	return l.detach(ctx)
}

// create makes what a new store holds before its first row.
func (l *loader) create(ctx context.Context) error {
	if err := createTables(ctx, l.conn); err != nil {
		return err
	}
	if err := l.use(ctx); err != nil {
		return err
	}
	return createMacros(ctx, l.conn)
}

func removeStore(path string) error {
	for _, p := range []string{path, path + ".wal"} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
