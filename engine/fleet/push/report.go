package push

import (
	"slices"
	"time"

	"hindsql/engine/fleet/landing"
)

// Report says what a push did, or would do.
type Report struct {
	Unchanged bool // nothing was written
	Sent      int  // files written, without the manifest
	SentRows  int64
	SentBytes int64
	Tables    []TableReport
	LeftOut   []LeftOut
	Unnamed   int64 // sessions that name no project, and stay because something is private
	Removed   int   // files that had been superseded for a day
	Elapsed   time.Duration
}

// TableReport says what lies at the target of a table, after the push.
type TableReport struct {
	Table       string
	Beside      bool
	Files       int
	Rows, Bytes int64
	New         int // of the files, those that this push wrote
}

// LeftOut is a project that doesn't leave.
type LeftOut struct {
	Project string
	Why     string
}

// tables notes what lies at the target of each table.
func (r *Report) tables(manifest *landing.Manifest) {
	for _, f := range manifest.Files {
		t := r.table(f)
		t.Files++
		t.Rows += f.Rows
		t.Bytes += f.Bytes
	}
}

// sent notes the files that were sent, or would be.
func (r *Report) sent(list []*made) {
	for _, f := range list {
		r.Sent++
		r.SentRows += f.Rows
		r.SentBytes += f.Bytes
		r.table(f.File).New++
	}
}

// table is what is told of the table that a file is of.
func (r *Report) table(f landing.File) *TableReport {
	n := slices.IndexFunc(r.Tables, func(t TableReport) bool { return t.Table == f.Table && t.Beside == f.Beside })
	if n < 0 {
		n = len(r.Tables)
		r.Tables = append(r.Tables, TableReport{Table: f.Table, Beside: f.Beside})
	}
	return &r.Tables[n]
}
