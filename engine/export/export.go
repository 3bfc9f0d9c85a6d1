// Package export writes a store's rows to files.
//
// In: a session of the engine, and options. Out: Parquet, CSV or JSON of tables
// or of a query's result, or whole sessions, in a folder or as one stream. A file
// appears under its name when it is whole, and none is replaced but an export's
// own. The package reads the store by calls of engine; it opens no database.
package export

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/engine/store"
	"hindsql/tables"
)

// Stdout is the folder's name that stands for Out.
const Stdout = "-"

// Options say what leaves the store, and how.
type Options struct {
	Dir         string    // folder, made when it isn't there; Stdout: one table, query or the sessions go to Out
	Out         io.Writer // for Stdout
	Format      string
	Tables      []string // empty: every table that users see
	Query       *Query   // in place of tables
	PartitionBy []string // of agent and day; of a query, any of its columns
	Since       Moment   // rows from then on
	Until       Moment   // rows before then
	Agents      []string // empty: all
	Sessions    []string // ids, or their beginnings, in the formats of whole sessions; empty: all
	Project     string   // part of the session's working directory
	Update      bool     // write only what changed since the last export with these options
	Redact      Redactor // may be nil
	Progress    func(Progress)
}

// Query is a query whose result is exported.
type Query struct {
	Name string // of the file
	SQL  string
	Args map[string]any
}

// Moment is a point in time as the user wrote it, which may be an age; the zero
// value is none.
type Moment struct {
	Text string
	At   time.Time
}

// Redactor replaces secrets in a text, or in a JSON value, which stays one. It
// is called by several goroutines at once.
type Redactor interface {
	Redact(text string, isJSON bool) string
	// Rules names the set of rules. Two sets redact differently.
	Rules() string
}

// Progress is how far an export is.
type Progress struct {
	Name        string // what is being written
	Done, Total int    // of tables
}

// Report says what an export wrote.
type Report struct {
	Tables    int
	Rows      int64 // in what was exported, written anew or not
	Files     int   // written
	Unchanged int   // files that stayed as they were
	Removed   int   // files whose rows are gone
	Bytes     int64 // of the files written
	LeftOut   []LeftOut
	Elapsed   time.Duration
}

// exporting is an export that is being made.
type exporting struct {
	Options
	reading *engine.Reading
	host    string // the name of this machine
	machine string // its id
	open    func(agent, path string) (io.ReadCloser, error)
}

// Run writes tables, a query's result or session objects to files. All rows are
// of one state of the store. A file appears under its name when it is whole; cut
// off, an export leaves the last one's files, and a temporary folder that the
// next one removes.
func Run(ctx context.Context, s *engine.Session, o Options) (report Report, err error) {
	start := time.Now()
	if err := o.Check(); err != nil {
		return report, err
	}
	err = s.Read(ctx, func(r *engine.Reading) error {
		e := &exporting{Options: o, reading: r, host: s.Store().Hostname(), machine: s.Store().Machine(), open: s.Store().OpenLog}
		report, err = e.run(ctx)
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	report.Elapsed = time.Since(start)
	return report, err
}

func (e *exporting) run(ctx context.Context) (report Report, err error) {
	if e.Redact != nil {
		if ctx, err = e.reading.Redacting(ctx, e.Redact.Redact); err != nil {
			return report, err
		}
	}
	if err := e.pickSessions(ctx); err != nil {
		return report, err
	}
	items, err := e.items(ctx)
	if err != nil {
		return report, err
	}
	defer e.dropQuery(ctx)
	if e.Dir == Stdout {
		report, err = e.toOut(ctx, items[0])
	} else {
		report, err = e.intoFolder(ctx, items)
	}
	for _, it := range items {
		report.LeftOut = append(report.LeftOut, it.left...)
	}
	return report, err
}

// Check refuses options that contradict each other.
func (o *Options) Check() error {
	f, known := formatOf(o.Format)
	ofSessions := f.item != nil
	one := o.Query != nil || len(o.Tables) == 1 || ofSessions
	switch {
	case !known:
		return fmt.Errorf("format %q: unknown; one of %s", o.Format, strings.Join(Formats(), ", "))
	case ofSessions && (o.Query != nil || len(o.Tables) > 0 || len(o.PartitionBy) > 0):
		return fmt.Errorf("format %s: whole sessions; leave out tables, queries and partitions", o.Format)
	case !ofSessions && len(o.Sessions) > 0:
		return fmt.Errorf("a session: chosen in the formats of whole sessions only: %s", strings.Join(OfSessions(), ", "))
	case o.Query != nil && len(o.Tables) > 0:
		return fmt.Errorf("a query and tables: two exports; give one of them")
	case o.Query != nil && (o.Since.Text+o.Until.Text+o.Project != "" || len(o.Agents) > 0):
		return fmt.Errorf("a query: has conditions of its own; write since, until, agent and project there")
	case o.Dir == Stdout && (!one || f.typed || o.Update || len(o.PartitionBy) > 0):
		return fmt.Errorf("standard output: takes one table or query, as csv, ndjson or json, or sessions, and in one piece")
	case o.Query == nil:
		return o.checkKeys([]string{"agent", "day"}, "agent and day")
	}
	return nil
}

// toOut writes one item to Out, by way of a file: DuckDB writes only those.
func (e *exporting) toOut(ctx context.Context, it *item) (report Report, err error) {
	dir, drop, err := store.Scratch("export")
	if err != nil {
		return report, err
	}
	defer drop()
	state, err := e.fingerprint(ctx, it)
	if err != nil {
		return report, err
	}
	path := filepath.Join(dir, "rows")
	if err := it.write(ctx, path, nil); err != nil {
		return report, err
	}
	f, err := os.Open(path)
	if err != nil {
		return report, err
	}
	defer f.Close()
	report.Tables, report.Rows = 1, rowsIn(state)
	report.Bytes, err = io.Copy(e.Out, f)
	return report, err
}

// intoFolder writes the items into the folder. It makes all files in a temporary
// folder and then moves them to their places.
func (e *exporting) intoFolder(ctx context.Context, items []*item) (report Report, err error) {
	d, err := openFolder(e.Dir)
	if err != nil {
		return report, err
	}
	defer d.close()
	for i, it := range items {
		if e.Progress != nil {
			e.Progress(Progress{it.name, i, len(items)})
		}
		if err := e.stage(ctx, d, it); err != nil {
			return report, err
		}
		report.Rows += rowsIn(d.next.Tables[it.name].Partitions)
	}
	if err := ctx.Err(); err != nil {
		return report, err
	}
	report.Tables = len(items)
	return report, d.publish(&report)
}

// stage writes the partitions of an item that changed, into the temporary folder.
func (e *exporting) stage(ctx context.Context, d *folder, it *item) error {
	now, err := e.fingerprint(ctx, it)
	if err != nil {
		return err
	}
	var had exportedTable
	if e.Update {
		if had, err = d.known(it); err != nil {
			return err
		}
	}
	var changed []string
	for path, p := range now {
		if old := had.Partitions[path]; old != nil && old.Hash == p.Hash && len(old.Files) > 0 && d.holds(old) {
			p.Files = old.Files
		} else {
			changed = append(changed, path)
		}
	}
	d.next.Tables[it.name] = exportedTable{it.options, tables.SchemaHash(), now}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	target := filepath.Join(d.stage, filepath.FromSlash(it.name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	if !it.isPartitioned() {
		file := it.name + it.extension
		now[""].Files = []string{file}
		return it.write(ctx, filepath.Join(d.stage, filepath.FromSlash(file)), nil)
	}
	if len(changed) == len(now) {
		changed = nil
	}
	if err := it.write(ctx, target, changed); err != nil {
		return err
	}
	return d.collect(it.name, now)
}

// exportedQuery is the name of the table that a query's result is kept in
// while it is exported.
const exportedQuery = "temp.main.hindsql_exported_query"

func (e *exporting) dropQuery(ctx context.Context) {
	_ = e.reading.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+exportedQuery)
}
