package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"hindsql/engine/confined"
	"hindsql/engine/duck"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// Session is one caller's connection to a [Store]. Its temporary tables, variables,
// settings and transaction end with the Session. Other tables that its statements
// create are visible to all sessions of the Store, and end with the Store. If several
// goroutines use a Session, their statements run one after another.
type Session struct {
	store    *Store
	executor executor
}

func location(timezone string) (*time.Location, error) {
	if timezone == "" {
		return time.Local, nil
	}
	l, err := time.LoadLocation(timezone)
	if err != nil {
		return nil, fmt.Errorf("time zone %q: unknown; use an IANA name such as Europe/Berlin", timezone)
	}
	return l, nil
}

// Session starts a session in the Store's time zone.
func (st *Store) Session(ctx context.Context) (*Session, error) {
	zone, err := location(st.settings().Timezone)
	if err != nil {
		return nil, err
	}
	in, err := st.backend.begin(ctx, zone)
	if err != nil {
		return nil, err
	}
	return &Session{st, in}, nil
}

// Store returns the Store of the session.
func (s *Session) Store() *Store { return s.store }

// Close ends the session and drops its temporary tables, variables and settings.
func (s *Session) Close() error { return s.executor.Close() }

// Sync calls [Store.Sync]. While the user's transaction is open, Sync does nothing: the
// tables stay as they were.
func (s *Session) Sync(ctx context.Context, o SyncOptions) (SyncReport, error) {
	if own, err := s.own(); err == nil && own.InTransaction() {
		return SyncReport{}, nil
	}
	return s.store.Sync(ctx, o)
}

// Query runs one or more statements in order and passes the rows of each to visit. The
// rows are valid while visit runs. An error of visit ends the run, and Query returns
// the error unchanged. The store is attached for reading while a statement runs. args
// are bound by name; a statement takes only the args that it names. An error of the SQL
// is an [*Error].
func (s *Session) Query(ctx context.Context, text string, args map[string]any, visit func(*result.Rows) error) error {
	for _, statement := range sqltext.Statements(text) {
		if err := s.executor.Run(ctx, statement, args, Page{}, visit); err != nil {
			return err
		}
	}
	return nil
}

// Page runs one statement as [Session.Query] does, and passes visit only the rows of p.
// DuckDB computes no more rows than p needs. Rows come in the statement's order;
// without ORDER BY, two pages may share rows or miss rows. Page returns an error if
// text holds no statement or several.
func (s *Session) Page(ctx context.Context, text string, args map[string]any, p Page, visit func(*result.Rows) error) error {
	list := sqltext.Statements(text)
	switch len(list) {
	case 0:
		return errors.New("no statement is given")
	case 1:
	default:
		return fmt.Errorf("%d statements are given; run one at a time", len(list))
	}
	return s.executor.Run(ctx, list[0], args, p, visit)
}

// Complete returns the words that may stand at a byte position of SQL text: tables,
// columns, functions, keywords, values of a column, and file names if the SQL reads
// files. After a table or alias and a point, the words are the table's columns. If the
// statement names tables, only their columns are offered. Complete runs nothing of the
// text: queries inside the text are only bound, to learn their columns.
func (s *Session) Complete(ctx context.Context, text string, at int) (Completions, error) {
	return s.executor.Complete(ctx, text, at)
}

// Values returns values of a column as text: the latest session ids, or the most
// frequent values of another column, at most some hundred. It returns nil if the lookup
// takes long, or if the store can't be read.
func (s *Session) Values(ctx context.Context, table, column string) []string {
	return s.executor.Values(ctx, table, column)
}

// own returns the connection of this process; [confined.ErrSafe] if the session has none.
func (s *Session) own() (*duck.Conn, error) {
	if own, ok := s.executor.(*duck.Conn); ok {
		return own, nil
	}
	return nil, confined.ErrSafe
}

func (s *Session) read(ctx context.Context, level duck.Level, use func(*Reading) error) error {
	own, err := s.own()
	if err != nil {
		return err
	}
	return own.Read(ctx, level, use)
}

// Read calls use, and keeps the store in one state meanwhile.
func (s *Session) Read(ctx context.Context, use func(*Reading) error) error {
	return s.read(ctx, duck.Named, use)
}

// ReadStored is Read for statements that name tables only by [StoreSchema] and
// [StoredView]. It saves the ten milliseconds of making the users' names.
func (s *Session) ReadStored(ctx context.Context, use func(*Reading) error) error {
	return s.read(ctx, duck.Checked, use)
}

// HandOver runs one query of the user and calls use with its rows. A safe Store writes
// no file. The DuckDB of [Handed] runs no SQL of other people, so it may write a file
// into folder. name is the query's name in errors.
func (s *Session) HandOver(ctx context.Context, folder, name, query string, args map[string]any, use func(*Handed) error) error {
	p, err := duck.OneQuery(name, query)
	if err != nil {
		return err
	}
	c := s.store.settings()
	var clean func(text string, isJSON bool) string
	if c.Safe != nil {
		clean = c.Safe.Redact
	}
	return s.executor.Hand(ctx, p, args, func(columns []result.Column, r array.RecordReader) error {
		return duck.HandOver(ctx, c.Store, folder, clean, columns, r, use)
	})
}
