package push

import (
	"slices"
	"time"

	"hindsql/engine/fleet/landing"
)

// Report is the result of a push or of a dry run.
type Report struct {
	Unchanged bool // nothing was written
	Sent      int  // files written, without the manifest
	SentRows  int64
	SentBytes int64
	Tables    []TableReport
	LeftOut   []LeftOut
	Unnamed   int64 // sessions without a project, kept here because something is private
	Removed   int   // files deleted a day after they were superseded
	Elapsed   time.Duration
}

// TableReport counts a table's files at the target after the push.
type TableReport struct {
	Table       string
	Beside      bool
	Files       int
	Rows, Bytes int64
	New         int // files written by this push
}

// LeftOut is a project that stays on this machine.
type LeftOut struct {
	Project string
	Why     string
}

// tables counts each table's files at the target.
func (r *Report) tables(manifest *landing.Manifest) {
	for _, f := range manifest.Files {
		t := r.table(f)
		t.Files++
		t.Rows += f.Rows
		t.Bytes += f.Bytes
	}
}

// sent counts the files that were sent, or would be in a dry run.
func (r *Report) sent(list []*made) {
	for _, f := range list {
		r.Sent++
		r.SentRows += f.Rows
		r.SentBytes += f.Bytes
		r.table(f.File).New++
	}
}

// table returns the report of the file's table.
func (r *Report) table(f landing.File) *TableReport {
	n := slices.IndexFunc(r.Tables, func(t TableReport) bool { return t.Table == f.Table && t.Beside == f.Beside })
	if n < 0 {
		n = len(r.Tables)
		r.Tables = append(r.Tables, TableReport{Table: f.Table, Beside: f.Beside})
	}
	return &r.Tables[n]
}

// leftOut returns the projects that stay, with reasons.
func (p *privacy) leftOut(projects []string) (list []LeftOut) {
	for _, project := range projects {
		if why := p.said[project]; why != "" {
			list = append(list, LeftOut{project, why})
		}
	}
	return list
}
