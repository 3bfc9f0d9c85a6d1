package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/tables"
)

// The formats of an export.
const (
	Parquet  = "parquet"
	CSV      = "csv"
	NDJSON   = "ndjson"
	JSON     = "json"
	Unified  = "sessions" // the unified session objects, one a line
	StdoutAs = "-"        // the folder's name that stands for Out
)

// ExportOptions says what leaves the store, and how.
type ExportOptions struct {
	Dir         string    // folder, made when it isn't there; StdoutAs: one table, query or the sessions go to Out
	Out         io.Writer // for StdoutAs
	Format      string
	Tables      []string     // empty: every table that users see
	Query       *ExportQuery // in place of tables
	PartitionBy []string     // of agent and day; of a query, any of its columns
	Since       Moment       // rows from then on
	Until       Moment       // rows before then
	Agents      []string     // empty: all
	Project     string       // part of the session's working directory
	Update      bool         // write only what changed since the last export with these options
	Redact      Redactor     // may be nil
	Progress    func(ExportProgress)
}

// ExportQuery is a query whose result is exported.
type ExportQuery struct {
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
	// Rules names the set of rules: what one redacted differs from another's.
	Rules() string
}

// ExportProgress is how far an export is.
type ExportProgress struct {
	Name        string // what is being written
	Done, Total int    // of tables
}

// ExportReport says what an export wrote.
type ExportReport struct {
	Tables    int
	Rows      int64 // in what was exported, written anew or not
	Files     int   // written
	Unchanged int   // files that stayed as they were
	Removed   int   // files whose rows are gone
	Bytes     int64 // of the files written
	Elapsed   time.Duration
}

// Export writes tables, a query's result or session objects to files. All rows
// are of one state of the store. A file appears under its name when it is
// whole; cut off, an export leaves the last one's files, and a temporary folder
// that the next one removes.
func (s *Session) Export(ctx context.Context, o ExportOptions) (ExportReport, error) {
	start := time.Now()
	if err := o.Check(); err != nil {
		return ExportReport{}, err
	}
	if err := s.take(ctx); err != nil {
		return ExportReport{}, err
	}
	defer s.give(ctx)
	ctx, err := s.store.withRedactor(ctx, o.Redact)
	if err != nil {
		return ExportReport{}, err
	}
	items, err := s.exportItems(ctx, o)
	if err != nil {
		return ExportReport{}, err
	}
	defer s.dropQuery(ctx)
	var report ExportReport
	if o.Dir == StdoutAs {
		report, err = s.exportTo(ctx, o, items[0])
	} else {
		report, err = s.exportInto(ctx, o, items)
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	report.Elapsed = time.Since(start)
	return report, err
}

// Check refuses options that contradict each other.
func (o *ExportOptions) Check() error {
	one := o.Query != nil || len(o.Tables) == 1 || o.Format == Unified
	switch {
	case !slices.Contains([]string{Parquet, CSV, NDJSON, JSON, Unified}, o.Format):
		return fmt.Errorf("format %q: unknown; one of parquet, csv, ndjson, json, sessions", o.Format)
	case o.Format == Unified && (o.Query != nil || len(o.Tables) > 0 || len(o.PartitionBy) > 0):
		return fmt.Errorf("format sessions: one file of whole sessions; leave out tables, queries and partitions")
	case o.Query != nil && len(o.Tables) > 0:
		return fmt.Errorf("a query and tables: two exports; give one of them")
	case o.Query != nil && (o.Since.Text+o.Until.Text+o.Project != "" || len(o.Agents) > 0):
		return fmt.Errorf("a query: has conditions of its own; write since, until, agent and project there")
	case o.Dir == StdoutAs && (!one || o.Format == Parquet || o.Update || len(o.PartitionBy) > 0):
		return fmt.Errorf("standard output: takes one table, one query or sessions, as csv, ndjson or json, and in one piece")
	case o.Query == nil:
		return o.checkKeys([]string{"agent", "day"}, "agent and day")
	}
	return nil
}

// exportTo writes one item to Out. DuckDB writes files only, so it goes by one.
func (s *Session) exportTo(ctx context.Context, o ExportOptions, item *exportItem) (report ExportReport, err error) {
	folder, err := os.MkdirTemp("", "hindsql-export-")
	if err != nil {
		return report, err
	}
	defer os.RemoveAll(folder)
	state, err := s.fingerprint(ctx, item)
	if err != nil {
		return report, err
	}
	path := filepath.Join(folder, "rows")
	if err := item.write(ctx, path, nil); err != nil {
		return report, err
	}
	f, err := os.Open(path)
	if err != nil {
		return report, err
	}
	defer f.Close()
	report.Tables, report.Rows = 1, rowsIn(state)
	report.Bytes, err = io.Copy(o.Out, f)
	return report, err
}

// exportInto writes the items into the folder: first beside their places, then
// all at once into them.
func (s *Session) exportInto(ctx context.Context, o ExportOptions, items []*exportItem) (report ExportReport, err error) {
	d, err := openExportFolder(o.Dir)
	if err != nil {
		return report, err
	}
	defer d.close()
	for i, item := range items {
		if o.Progress != nil {
			o.Progress(ExportProgress{item.name, i, len(items)})
		}
		if err := s.stage(ctx, d, item, o.Update); err != nil {
			return report, err
		}
		report.Rows += rowsIn(d.next.Tables[item.name].Partitions)
	}
	if err := ctx.Err(); err != nil {
		return report, err
	}
	report.Tables = len(items)
	return report, d.publish(&report)
}

// stage writes those of an item's partitions that have to be.
func (s *Session) stage(ctx context.Context, d *exportFolder, item *exportItem, update bool) error {
	now, err := s.fingerprint(ctx, item)
	if err != nil {
		return err
	}
	var had exportedTable
	if update {
		if had, err = d.known(item); err != nil {
			return err
		}
	}
	var changed []string
	for path, p := range now {
		if old := had.Partitions[path]; old != nil && old.Hash == p.Hash && d.holds(old) {
			p.Files = old.Files
		} else {
			changed = append(changed, path)
		}
	}
	d.next.Tables[item.name] = exportedTable{item.options, tables.SchemaHash(), now}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	target := filepath.Join(d.stage, filepath.FromSlash(item.name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	if !item.isPartitioned() {
		file := item.name + item.extension
		now[""].Files = []string{file}
		return item.write(ctx, filepath.Join(d.stage, filepath.FromSlash(file)), nil)
	}
	if len(changed) == len(now) {
		changed = nil
	}
	if err := item.write(ctx, target, changed); err != nil {
		return err
	}
	return d.collect(item.name, now)
}

// exportedQuery is the name of the table that a query's result is kept in
// while it is exported.
const exportedQuery = "temp.main.hindsql_exported_query"

func (s *Session) dropQuery(ctx context.Context) {
	_ = s.exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+exportedQuery)
}

func identifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
