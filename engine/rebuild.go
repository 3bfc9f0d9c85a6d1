package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

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
	draft := s.draft()
	defer removeStore(draft)
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
	if carry {
		// What a killed process left in the old store's log goes into its file,
		// as the log must not outlive it.
		if err := l.write(ctx, store, func() error { return nil }); err != nil {
			return 0, err
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
		func() error { return createTables(ctx, l.conn, "store.main") },
		func(b *tables.Batch) error { return l.insert(ctx, b) })
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

// carryOver copies the rows of sources that weren't loaded, in the columns that
// both builds know.
func (l *loader) carryOver(ctx context.Context) error {
	for _, t := range tables.All() {
		if !t.Loaded() || t.Name == "sources" {
			continue
		}
		if err := l.carryTable(ctx, t); err != nil {
			return err
		}
	}
	if err := l.exec(ctx, "INSERT INTO pending_links SELECT source_id FROM old.main.sources WHERE source_id NOT IN (SELECT source_id FROM sources)"); err != nil {
		return err
	}
	return l.carryTable(ctx, tables.Sources())
}

func (l *loader) carryTable(ctx context.Context, t *tables.Table) error {
	had, err := l.columns(ctx, t.Name)
	if err != nil {
		return err
	}
	var both []string
	for _, c := range t.Columns {
		if had[c.Name] {
			// A value that the column's new type doesn't take must not end every load.
			both = append(both, fmt.Sprintf("TRY_CAST(%s AS %s) AS %s", c.Name, c.Type, c.Name))
		}
	}
	if !had["source_id"] {
		return nil
	}
	list := strings.Join(both, ", ")
	return l.exec(ctx, fmt.Sprintf(
		"INSERT INTO %s BY NAME SELECT %s FROM old.main.%s WHERE source_id NOT IN (SELECT source_id FROM sources)", t.Name, list, t.Name))
}

// columns are those that a table of the old store has; empty for none.
func (l *loader) columns(ctx context.Context, table string) (map[string]bool, error) {
	rows, err := l.conn.QueryContext(ctx, "SELECT column_name FROM duckdb_columns() WHERE database_name = 'old' AND table_name = "+quote(table))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names[name] = true
	}
	return names, rows.Err()
}

func removeStore(path string) error {
	for _, p := range []string{path, path + ".wal"} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
