// Package export writes a store's rows to files.
//
// In: a session of the engine, and options. Out: Parquet, CSV or JSON of tables or of a
// query's result, or whole sessions, in a folder or as one stream. Files appear
// complete, and only files of earlier exports are replaced. The package reads the store
// through package engine and opens no database.
package export

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Stdout is the folder name that stands for Out.
const Stdout = "-"

// Options choose the exported rows and their form.
type Options struct {
	Dir         string    // folder, created if missing; Stdout writes one table, query or the sessions to Out
	Out         io.Writer // for Stdout
	Format      string
	Tables      []string // empty for every table that users see
	Query       *Query   // in place of tables
	PartitionBy []string // agent and day, or any columns of a query
	Since       Moment   // rows from this time on
	Until       Moment   // rows before this time
	Agents      []string // empty for all
	Sessions    []string // ids or beginnings of ids, for formats of whole sessions; empty for all
	Project     string   // part of the session's working directory
	Update      bool     // write only files changed since the last export with these options
	Redact      Redactor // nil to keep secrets
	Progress    func(Progress)
}

// Query is a query to export.
type Query struct {
	Name string // name of the file
	SQL  string
	Args map[string]any
}

// Moment is a point in time as written by the user, possibly as an age. The zero value
// means no limit.
type Moment struct {
	Text string
	At   time.Time
}

// Redactor replaces secrets in a text. If isJSON is true, the text is a JSON value and
// stays valid JSON. Several goroutines call it at once.
type Redactor interface {
	Redact(text string, isJSON bool) string
	// Rules names the set of rules. Two sets redact differently.
	Rules() string
}

// Progress tells how far an export is.
type Progress struct {
	Name        string // table being written
	Done, Total int    // of tables
}

// Report is the result of an export.
type Report struct {
	Tables    int
	Rows      int64 // exported rows, in new and unchanged files
	Files     int   // number of files written
	Unchanged int   // number of unchanged files
	Removed   int   // number of files removed because their rows are gone
	Bytes     int64 // size of the files written
	LeftOut   []LeftOut
	Elapsed   time.Duration
}

// exporting is an export in progress.
type exporting struct {
	Options
	reading *engine.Reading
	host    string // name of this machine
	machine string // id of this machine
	open    func(agent, path string) (io.ReadCloser, error)
}

// Run writes tables, a query's result or session objects to files. All rows come from
// one state of the store. Files appear complete. An interrupted export leaves the last
// export's files, and a temporary folder for the next export to remove.
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
	if err := e.completeSessions(ctx); err != nil {
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

// Check returns an error if options contradict each other.
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
	case f.single && len(o.PartitionBy) > 0:
		return fmt.Errorf("format %s: has no partitions; choose parquet or csv, or leave out the partitions", o.Format)
	case o.Dir == Stdout && (!one || f.typed || o.Update || len(o.PartitionBy) > 0):
		return fmt.Errorf("standard output: takes one table or query, as csv, ndjson or json, or sessions, and in one piece")
	case o.Query == nil:
		return o.checkKeys([]string{"agent", "day"}, "agent and day")
	}
	return nil
}

// toOut writes one item to Out.
func (e *exporting) toOut(ctx context.Context, it *item) (report Report, err error) {
	state, err := e.fingerprint(ctx, it)
	if err != nil {
		return report, err
	}
	report.Tables, report.Rows = 1, rowsIn(state)
	report.Bytes, err = throughFile(e.Out, func(path string) error { return it.write(ctx, path, nil) })
	return report, err
}

// intoFolder writes the items into the folder. All files are made in a temporary folder
// and then moved into place.
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
		if err := Bounded(ctx, e.reading, func() error { return e.stage(ctx, d, it) }); err != nil {
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

// stage writes the changed partitions of an item into the temporary folder.
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
		if old := had.Partitions[path]; old != nil && old.Hash == p.Hash && len(old.Files) > 0 && d.hasFiles(old) {
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
	if err := cmp.Or(os.RemoveAll(target), os.MkdirAll(filepath.Dir(target), 0o700)); err != nil { // a first try may have run short of memory
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

// exportedQuery is the temporary table with a query's result during the export.
const exportedQuery = "temp.main.hindsql_exported_query"

func (e *exporting) dropQuery(ctx context.Context) {
	_ = e.reading.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+exportedQuery)
}

// completeSessions completes the given session ids, which may be beginnings of ids.
func (e *exporting) completeSessions(ctx context.Context) error {
	for i, given := range e.Sessions {
		var ids []string
		quoted := sqltext.Literal(given)
		query := fmt.Sprintf("SELECT DISTINCT session_id FROM %s.sessions WHERE starts_with(session_id, %s) ORDER BY session_id = %[2]s DESC, contains(substr(session_id, length(%[2]s) + 1), '/'), session_id LIMIT 4", engine.StoreSchema, quoted)
		if err := e.reading.Each(ctx, query, func(scan func(...any) error) error {
			var id string
			err := scan(&id)
			ids = append(ids, id)
			return err
		}); err != nil {
			return err
		}
		below := func(id string) bool { return strings.Contains(strings.TrimPrefix(id, given), "/") } // a subagent of a session that begins with given
		switch {
		case len(ids) == 0:
			return engine.NotOne(fmt.Sprintf("session %q: no session's id begins so; hindsql \"SELECT session_id, about FROM sessions\" lists them", given))
		case ids[0] != given && len(ids) > 1 && (below(ids[0]) || !below(ids[1])):
			return engine.NotOne(fmt.Sprintf("session %q: several begin so: %s; give more of it", given, strings.Join(ids, ", ")))
		}
		e.Sessions[i] = ids[0]
	}
	return nil
}
