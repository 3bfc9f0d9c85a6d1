package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Marks that a damaged or made-up database meets, and no other: bytes of a cell,
// how long a statement may take, and how much of that comes with the database's
// size. A page that is its own descendant has more rows than there are bytes.
const (
	largestCell    = 256 << 20
	leastTime      = time.Minute
	slowest        = 1 << 20 // bytes a second
	rowsWhatsoever = 1 << 20
)

// DB is one committed state of a database, for the length of a view.
type DB struct {
	snapshot *snapshot
	conn     driver.QueryerContext
	failed   error // of what gives no error of its own
}

// Row is a row of a result, until the next one comes.
type Row struct{ values []driver.Value }

// view has read look at the state.
func (s *snapshot) view(read func(*DB) error) error {
	err := s.connection(func(c *sql.Conn) error {
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
	return told(err)
}

// told says of SQLite's two commonest errors what they mean here.
func told(err error) error {
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

// Query calls scan with each row of a statement's result, in its order. args
// stand for the question marks in it. A column that is declared as a date or
// timestamp is asked for with a plus sign, which keeps its text as it is.
func (db *DB) Query(scan func(*Row) error, statement string, args ...any) error {
	limit := leastTime + time.Duration(db.snapshot.size/slowest)*time.Second
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	rows, err := db.conn.QueryContext(ctx, statement, bound(args))
	if err != nil {
		return db.inTime(ctx, err)
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
			return db.inTime(ctx, err)
		}
		if err := scan(row); err != nil {
			return err
		}
	}
}

// inTime says what was wrong where a statement took too long.
func (db *DB) inTime(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("damaged: a statement didn't end")
	}
	return err
}

func bound(args []any) []driver.NamedValue {
	list := make([]driver.NamedValue, len(args))
	for i, v := range args {
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return list
}

// Size is how large the database is, in bytes.
func (db *DB) Size() int64 { return db.snapshot.size }

// Columns are the names of a table's columns, in their order; nil where there is
// no such table. What computes its rows is none: a view, a virtual table.
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

// IsNull says whether a column has no value.
func (r *Row) IsNull(i int) bool { return r.values[i] == nil }

// Text is a column's text, or bytes; empty for null, and a number's digits.
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

// Int is a column's whole number; false for anything else.
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

// Float is a column's number; false for anything else.
func (r *Row) Float(i int) (float64, bool) {
	switch v := r.values[i].(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}
