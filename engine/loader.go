package engine

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// loader writes to a store, in a separate DuckDB: the settings of a load don't touch
// users' statements. The session's DuckDB is detached from the file meanwhile.
type loader struct {
	db    *sql.DB
	conn  *sql.Conn
	feeds map[*tables.Table]*feed

	memory     int64 // DuckDB's current limit, in bytes, see makeRoom
	mostMemory int64 // DuckDB's default limit, in bytes
	forTexts   int64 // bytes of the limit that the inserted texts need
	fellShort  int64 // the limit after work fell short of memory, in bytes; 0 if none did
	recalled   int64 // limit that the store remembered, in bytes
	gauges     map[*tables.Table]*gauge

	worktrees tables.Worktrees // places, for the views of a new store
	config    Config           // of the Store

	refuse func(*tables.Batch) error // see file

	links  *linker
	asides *quarantine
}

// The settings, measured on 211 MB of logs. One thread leaves the processors to the
// parsers and is a sixth faster. The memory limit, see makeRoom, keeps a load of any
// size small; without it, memory grows with the transaction. Small row groups, written
// singly and not five together, let the one transaction write most data before the
// commit.
const (
	loaderSettings = `SET preserve_insertion_order = true; SET write_buffer_row_group_count = 1`
	attachOptions  = `STORAGE_VERSION 'latest', ROW_GROUP_SIZE 30720`
)

func openLoader(ctx context.Context, path string, c Config) (*loader, error) {
	db, conn, err := openMemory(ctx, store.File{Path: path}.LoaderSpill(), 1)
	if err != nil {
		return nil, err
	}
	l := &loader{db: db, conn: conn, config: c, feeds: map[*tables.Table]*feed{}, gauges: map[*tables.Table]*gauge{}}
	l.links, l.asides = &linker{l: l}, &quarantine{l}
	if err := cmp.Or(l.exec(ctx, loaderSettings), l.limitMemory(ctx)); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// warnings returns the warnings of the links. A loader that failed to open has none.
func (l *loader) warnings() []error {
	if l == nil {
		return nil
	}
	return l.links.warnings()
}

// close closes the loader. A loader that failed to open is nil.
func (l *loader) close() {
	if l == nil {
		return
	}
	l.conn.Close()
	l.db.Close()
}

func (l *loader) exec(ctx context.Context, statement string) error {
	_, err := l.conn.ExecContext(ctx, statement)
	return err
}

// feedFor makes a view feed_TABLE for each table, from which rows are inserted. It runs
// before a transaction begins: DuckDB registers views in its own memory database, and a
// transaction writes to one database only.
func (l *loader) feedFor(list []*tables.Table) error {
	for _, t := range list {
		if l.feeds[t] != nil {
			continue
		}
		if err := l.register(t); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) register(t *tables.Table) error {
	f, _, err := newFeed(l.conn, t) // it lasts as long as the loader
	l.feeds[t] = f
	return err
}

// attach attaches the store for writing.
func (l *loader) attach(ctx context.Context, path string) error {
	return l.exec(ctx, fmt.Sprintf("ATTACH %s AS store (%s)", sqltext.Literal(path), attachOptions))
}

// use makes the attached store's table names usable without their schema.
func (l *loader) use(ctx context.Context) error { return l.exec(ctx, "USE "+StoreSchema) }

// detach writes the store's log into the file, and detaches the file. Writing a small
// log costs 50 ms of cpu, but so does each attach that reads the log again.
func (l *loader) detach(ctx context.Context) error {
	return l.exec(context.WithoutCancel(ctx), "USE memory; DETACH store")
}

// transaction runs work whole or not at all. If a link step fails, transaction runs
// work again without the step.
func (l *loader) transaction(ctx context.Context, work func() error) error {
	for {
		err := transaction(ctx, l.conn, work)
		l.forgetInserts()
		if !l.links.leaveOut(ctx, err) {
			return err
		}
	}
}

// insert adds a batch's rows, inside a transaction.
func (l *loader) insert(ctx context.Context, b *tables.Batch) error {
	return l.put(ctx, b, l.insertInto)
}

// put hands each table's rows to a function, and for tests refuses the batch.
func (l *loader) put(ctx context.Context, b *tables.Batch, put func(context.Context, *tables.Table, []arrow.RecordBatch) error) error {
	if l.refuse != nil {
		if err := l.refuse(b); err != nil {
			return err
		}
	}
	for _, t := range tables.Loaded() {
		if err := put(ctx, t, b.Records(t)); err != nil {
			return err
		}
	}
	return nil
}

// insertInto adds rows to a table. DuckDB plans the statement once in a transaction: a
// first load of 211 MB inserts 70 times, and planning anew took a twentieth of its cpu.
func (l *loader) insertInto(ctx context.Context, t *tables.Table, records []arrow.RecordBatch) error {
	if len(records) == 0 {
		return nil
	}
	if err := l.makeRoom(ctx, t, records); err != nil {
		return err
	}
	insert, err := l.inserting(ctx, t) //nolint:sqlclosecheck // forgetInserts closes it
	if l.feeds[t].queue = records; err == nil {
		_, err = insert.ExecContext(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// inserting returns the statement that inserts what the table's feed holds.
func (l *loader) inserting(ctx context.Context, t *tables.Table) (insert *sql.Stmt, err error) {
	f := l.feeds[t]
	if f.insert == nil {
		// All columns in order and no condition: DuckDB pushes both into the Arrow scan,
		// and the scan ignores them.
		f.insert, err = l.conn.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s.%s SELECT * FROM memory.main.feed_%s", StoreSchema, t.Name, t.Name))
	}
	return f.insert, err
}

// forgetInserts drops the statements of inserting, because after a transaction the
// tables may be others, or gone.
func (l *loader) forgetInserts() {
	for _, f := range l.feeds {
		if f.insert != nil {
			f.insert.Close()
			f.insert = nil
		}
	}
}

// remove deletes the rows of sources, inside a transaction.
func (l *loader) remove(ctx context.Context, sources []int64) error {
	if len(sources) == 0 {
		return nil
	}
	list := strings.Join(each(sources, "%d"), ", ")
	held, err := l.leaving(ctx, list)
	for _, name := range held {
		if err == nil {
			err = l.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE source_id IN (%s)", name, list))
		}
	}
	return err
}

// leaving prepares to delete or replace the rows of sources, a list in SQL. It returns
// the tables with rows of the sources.
func (l *loader) leaving(ctx context.Context, list string) (held []string, err error) {
	for former, name := range tables.Formerly() {
		if err := l.exec(ctx, fmt.Sprintf("INSERT INTO %s FROM %s WHERE source_id IN (%s)", former, name, list)); err != nil {
			return nil, err
		}
	}
	if held, err = l.holding(ctx, list); err != nil {
		return nil, err
	}
	return held, l.forgetFiles(ctx)
}

// holding returns the tables with rows of the sources. Few tables have any, and a
// statement for each table costs a millisecond.
func (l *loader) holding(ctx context.Context, list string) ([]string, error) {
	var each []string
	for _, t := range tables.Loaded() {
		each = append(each, fmt.Sprintf("SELECT '%[1]s' WHERE EXISTS (FROM %[1]s WHERE source_id IN (%[2]s))", t.Name, list))
	}
	return oneColumn[string](ctx, l.conn, strings.Join(each, " UNION ALL "))
}

func each(ids []int64, format string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = fmt.Sprintf(format, id)
	}
	return list
}

// feed is an Arrow reader that goes on after its end: each scan of a view over the feed
// gives the batches queued since the last scan.
type feed struct {
	schema  *arrow.Schema
	queue   []arrow.RecordBatch
	current arrow.RecordBatch
	insert  *sql.Stmt // of the current transaction of a loader, see inserting
}

// newFeed makes the view feed_TABLE over a new feed, in the connection's memory. The
// view exists until release is called.
func newFeed(conn *sql.Conn, t *tables.Table) (f *feed, release func(), err error) {
	f = &feed{schema: t.Schema()}
	release, err = viewOf(conn, f, "feed_"+t.Name)
	return f, release, err
}

// Retain does nothing: the batch owns the records.
func (f *feed) Retain() {}

// Release does nothing.
func (f *feed) Release() {}

// Schema is the schema of the table.
func (f *feed) Schema() *arrow.Schema { return f.schema }

// Next moves to the next record of the queue.
func (f *feed) Next() bool {
	if len(f.queue) == 0 {
		f.current = nil
		return false
	}
	f.current, f.queue = f.queue[0], f.queue[1:]
	return true
}

// RecordBatch is the current record.
func (f *feed) RecordBatch() arrow.RecordBatch { return f.current }

// Record is RecordBatch, under its deprecated name.
func (f *feed) Record() arrow.RecordBatch { return f.current }

// Err is nil: the records are in memory.
func (f *feed) Err() error { return nil }
