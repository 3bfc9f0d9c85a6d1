package load

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/engine/duck"
	"hindsql/engine/store"
	"hindsql/internal/regular"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// loader writes to a store, in a separate DuckDB: the settings of a load don't touch
// users' statements. The session's DuckDB is detached from the file meanwhile.
type loader struct {
	at    store.File
	db    *sql.DB
	conn  *sql.Conn
	feeds map[*tables.Table]*feed

	memory     int64 // DuckDB's current limit, in bytes, see raiseMemory
	mostMemory int64 // DuckDB's default limit, in bytes
	forTexts   int64 // bytes of the limit that the inserted texts need
	raisedTo   int64 // the limit after work fell short of memory, in bytes; 0 if none did
	recalled   int64 // limit that the store remembered, in bytes
	gauges     map[*tables.Table]*gauge

	config Config // of the File

	refuse func(*tables.Batch) error // see File

	links      *linker
	quarantine *quarantine
}

// The settings, measured on 211 MB of logs. One thread leaves the processors to the
// parsers and is a sixth faster. The memory limit, see raiseMemory, keeps a load of any
// size small; without it, memory grows with the transaction. Small row groups, written
// singly and not five together, let the one transaction write most data before the
// commit.
const (
	loaderSettings = `SET preserve_insertion_order = true; SET write_buffer_row_group_count = 1`
)

// feed holds the rows that are inserted into a table.
type feed struct {
	*duck.Feed
	insert *sql.Stmt // of the current transaction, see insertStatement
}

func openLoader(ctx context.Context, at store.File, c Config) (*loader, error) {
	db, conn, err := duck.OpenMemory(ctx, at.LoaderSpill(), 1)
	if err != nil {
		return nil, err
	}
	l := &loader{at: at, db: db, conn: conn, config: c, feeds: map[*tables.Table]*feed{}, gauges: map[*tables.Table]*gauge{}}
	l.links, l.quarantine = &linker{l: l}, &quarantine{l}
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
		if l.feeds[t] == nil {
			f, _, err := duck.NewFeed(l.conn, t) // it lasts as long as the loader
			if err != nil {
				return err
			}
			l.feeds[t] = &feed{Feed: f}
		}
	}
	return nil
}

// attach attaches the store for writing.
func (l *loader) attach(ctx context.Context, path string) error {
	return l.exec(ctx, fmt.Sprintf("ATTACH %s AS store (%s)", sqltext.Literal(path), duck.AttachOptions))
}

// attachOld attaches a store to carry rows over from. It waits while another process of
// hindsql's writes.
func (l *loader) attachOld(ctx context.Context, path string) error {
	return l.at.Retry(ctx, time.Now().Add(duck.PatienceOfAll), func() error {
		return l.exec(ctx, fmt.Sprintf("ATTACH %s AS old (READ_ONLY)", sqltext.Literal(path)))
	})
}

// use makes the attached store's table names usable without their schema.
func (l *loader) use(ctx context.Context) error { return l.exec(ctx, "USE "+duck.StoreSchema) }

// detach writes the store's log into the file, and detaches the file. Writing a small
// log costs 50 ms of cpu, but so does each attach that reads the log again.
func (l *loader) detach(ctx context.Context) error {
	return l.exec(context.WithoutCancel(ctx), "USE memory; DETACH store")
}

// transaction runs work whole or not at all. If a link step fails, transaction runs
// work again without the step.
func (l *loader) transaction(ctx context.Context, work func() error) error {
	for {
		err := duck.Transaction(ctx, l.exec, work)
		l.closeInserts()
		if !l.links.skipStep(ctx, err) {
			return err
		}
	}
}

// insert adds a batch's rows, inside a transaction.
func (l *loader) insert(ctx context.Context, b *tables.Batch) error {
	return l.eachTable(ctx, b, l.insertInto)
}

// eachTable hands each table's rows to a function, and for tests refuses the batch.
func (l *loader) eachTable(ctx context.Context, b *tables.Batch, put func(context.Context, *tables.Table, []arrow.RecordBatch) error) error {
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
	if err := l.raiseMemory(ctx, t, records); err != nil {
		return err
	}
	insert, err := l.insertStatement(ctx, t) //nolint:sqlclosecheck // closeInserts closes it
	if l.feeds[t].Queue = records; err == nil {
		_, err = insert.ExecContext(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// insertStatement returns the statement that inserts what the table's feed holds.
func (l *loader) insertStatement(ctx context.Context, t *tables.Table) (insert *sql.Stmt, err error) {
	f := l.feeds[t]
	if f.insert == nil {
		// All columns in order and no condition: DuckDB pushes both into the Arrow scan,
		// and the scan ignores them.
		f.insert, err = l.conn.PrepareContext(ctx, fmt.Sprintf("INSERT INTO %s.%s SELECT * FROM memory.main.feed_%s", duck.StoreSchema, t.Name, t.Name))
	}
	return f.insert, err
}

// closeInserts drops the statements of insertStatement, because after a transaction the
// tables may be others, or gone.
func (l *loader) closeInserts() {
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
	list := sqltext.Numbers(sources, "%d")
	held, err := l.prepareToReplace(ctx, list)
	for _, name := range held {
		if err == nil {
			err = l.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE source_id IN (%s)", name, list))
		}
	}
	return err
}

// prepareToReplace prepares to delete or replace the rows of sources, a list in SQL. It returns
// the tables with rows of the sources.
func (l *loader) prepareToReplace(ctx context.Context, list string) (held []string, err error) {
	for former, name := range tables.Formerly() {
		if err := l.exec(ctx, fmt.Sprintf("INSERT INTO %s FROM %s WHERE source_id IN (%s)", former, name, list)); err != nil {
			return nil, err
		}
	}
	if held, err = l.tablesWithRows(ctx, list); err != nil {
		return nil, err
	}
	return held, l.clearFingerprint(ctx)
}

// tablesWithRows returns the tables with rows of the sources. Few tables have any, and a
// statement for each table costs a millisecond.
func (l *loader) tablesWithRows(ctx context.Context, list string) ([]string, error) {
	var each []string
	for _, t := range tables.Loaded() {
		each = append(each, fmt.Sprintf("SELECT '%[1]s' WHERE EXISTS (FROM %[1]s WHERE source_id IN (%[2]s))", t.Name, list))
	}
	return duck.Column[string](ctx, l.conn, strings.Join(each, " UNION ALL "))
}

// emptyStore keeps the file of a store without rows, for a process that makes several
// stores, such as a test. To make the tables, macros and 281 comments takes 80 ms of a
// processor, and to write a copy 2 ms. The first store of a process is made in its draft.
var emptyStore struct {
	sync.Mutex
	ddl  string // the statements that make the store; they depend on the readers
	file []byte // nil while only one store was made
}

// attach attaches a new draft file at path. The draft's ddl is empty if the file is a
// copy of emptyStore.
func (d *draft) attach(ctx context.Context, path string) (err error) {
	l := d.l
	d.ddl = duck.StoreDDL(l.config.Readers)
	emptyStore.Lock()
	defer emptyStore.Unlock()
	if emptyStore.ddl != d.ddl {
		emptyStore.ddl, emptyStore.file = d.ddl, nil
		return l.attach(ctx, path)
	}
	if emptyStore.file == nil {
		err = cmp.Or(l.attach(ctx, path), duck.Transaction(ctx, l.exec, func() error { return l.exec(ctx, d.ddl) }), l.detach(ctx))
		if err == nil {
			emptyStore.file, err = regular.Read(path, regular.Own)
		}
	} else {
		err = os.WriteFile(path, emptyStore.file, 0o600)
	}
	d.ddl = ""
	return cmp.Or(err, l.attach(ctx, path))
}
