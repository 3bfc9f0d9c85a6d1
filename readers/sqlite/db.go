package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Limits that only a damaged or forged database exceeds: the bytes of a cell, the least
// time for a statement, and the read speed from which larger databases get more time.
// If a page is its own descendant, the database has more rows than bytes.
const (
	largestCell    = 256 << 20
	leastTime      = time.Minute
	slowest        = 1 << 20 // bytes a second
	rowsWhatsoever = 1 << 20
)

// DB is one committed state of a database, valid during a view.
type DB struct {
	snapshot *snapshot
	conn     driver.QueryerContext
	failed   error // from Columns, which returns no error
}

// Row is one row of a result. It is valid until the next row.
type Row struct{ values []driver.Value }

// view runs read on the state.
func (s *snapshot) view(read func(*DB) error) error {
	err := s.withConnection(func(c *sql.Conn) error {
		if _, err := sqlite.Limit(c, sqlite3.SQLITE_LIMIT_LENGTH, largestCell); err != nil {
			return err
		}
		return c.Raw(func(raw any) error {
			db := &DB{snapshot: s, conn: raw.(driver.QueryerContext)}
			if err := read(db); err != nil {
				return err
			}
			return db.failed
		})
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	return explainError(err)
}

// explainError replaces SQLite's two most frequent errors with words for the fault
// with the log.
func explainError(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return errors.New("no SQLite database, or an encrypted one")
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("damaged: %w", err)
	}
	return err
}

// Query calls scan with each row of a statement's result, in order. args replace the
// question marks in the statement. Select a column declared as date or timestamp with a
// plus sign (+b): that keeps the column's text unchanged.
func (db *DB) Query(scan func(*Row) error, statement string, args ...any) error {
	limit := leastTime + time.Duration(db.snapshot.size/slowest)*time.Second
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	rows, err := db.conn.QueryContext(ctx, statement, bind(args))
	if err != nil {
		return db.timeoutOr(ctx, err)
	}
	defer rows.Close()
	row := &Row{make([]driver.Value, len(rows.Columns()))}
	for n := int64(0); ; n++ {
		err := rows.Next(row.values)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && n > db.snapshot.size+rowsWhatsoever {
			err = errors.New("damaged: it has more rows than bytes")
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return db.timeoutOr(ctx, err)
		}
		if err := scan(row); err != nil {
			return err
		}
	}
}

// timeoutOr returns a timeout error if the statement ran out of time, otherwise err.
func (db *DB) timeoutOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("damaged: a statement didn't end")
	}
	return err
}

func bind(args []any) []driver.NamedValue {
	list := make([]driver.NamedValue, len(args))
	for i, v := range args {
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return list
}

// Size returns the size of the database in bytes.
func (db *DB) Size() int64 { return db.snapshot.size }

// Select returns a list of columns for a SELECT, with NULL for each column that this
// version's table lacks.
func (db *DB) Select(table string, columns ...string) string {
	known := db.Columns(table)
	list := slices.Clone(columns)
	for i, c := range list {
		if !slices.Contains(known, c) {
			list[i] = "NULL"
		}
	}
	return strings.Join(list, ", ")
}

// InTurn returns err, if there is one. Otherwise it calls functions until one fails, and
// returns that error.
func InTurn(err error, steps ...func() error) error {
	for _, step := range steps {
		if err == nil {
			err = step()
		}
	}
	return err
}

// Columns returns the names of a table's columns, in order, or nil if the table doesn't
// exist. A view and a virtual table count as missing, because code computes their rows.
func (db *DB) Columns(table string) []string {
	s := db.snapshot
	s.mu.Lock()
	known, ok := s.columns[table]
	s.mu.Unlock()
	if ok {
		return known
	}
	var names []string
	err := db.Query(func(r *Row) error {
		names = append(names, r.Text(0))
		return nil
	}, `SELECT c.name FROM sqlite_schema s, pragma_table_info(s.name) c
		WHERE s.type = 'table' AND s.rootpage > 0 AND s.name = ? COLLATE NOCASE ORDER BY c.cid`, table)
	if err != nil {
		db.failed = errors.Join(db.failed, err)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.columns == nil {
		s.columns = map[string][]string{}
	}
	s.columns[table] = names
	return names
}

// IsNull reports whether a column is null.
func (r *Row) IsNull(i int) bool { return r.values[i] == nil }

// Text returns a column's text or bytes, or the digits of a number. It is empty for
// null.
func (r *Row) Text(i int) string {
	switch v := r.values[i].(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(v)
	}
}

// Int returns a column's whole number, or false for any other value.
func (r *Row) Int(i int) (int64, bool) {
	switch v := r.values[i].(type) {
	case int64:
		return v, true
	case float64:
		whole := int64(v)
		return whole, float64(whole) == v && v > -1<<62 && v < 1<<62
	}
	return 0, false
}
