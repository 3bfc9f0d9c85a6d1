package push

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"hindsql/engine/fleet/landing"
	"hindsql/tables"
)

// publish waits until the new files are sent, and then sends the manifest. If an upload
// fails, the former manifest stays.
func (m *making) publish(ctx context.Context) error {
	manifest := m.manifest()
	sent := m.files.newFiles()
	m.report.tables(manifest)
	m.report.sent(sent)
	if m.DryRun {
		return nil
	}
	m.next.Manifest = manifest
	if m.sameAsBefore(manifest) {
		m.next.Manifest, m.next.Sum, m.report.Unchanged = m.base, m.was.Sum, true
		if err := m.next.save(m.statePath()); err != nil {
			return err
		}
		return m.deleteIfUnchanged(ctx, m.base)
	}
	m.reportProgress("sending", 0, 1)
	if err := m.sending.finish(); err != nil {
		return err
	}
	text, err := manifest.Encode()
	if err != nil {
		return err
	}
	m.next.Sum, m.next.Before = sumOfManifest(text), m.seen
	if err := m.next.write(m.statePath() + nextEnding); err != nil {
		return err
	}
	if err := m.Target.Put(ctx, m.prefix+"/"+landing.ManifestName, bytes.NewReader(text), int64(len(text))); err != nil {
		return fmt.Errorf("%s: %w; push again", m.Target.URL, err)
	}
	if err := commitState(m.statePath()); err != nil {
		return err
	}
	return m.deleteSuperseded(ctx, manifest)
}

// sameAsBefore reports whether the manifest equals the last push's.
func (m *making) sameAsBefore(manifest *landing.Manifest) bool {
	if m.base == nil || m.base != m.was.Manifest || m.was.isCutOff || m.was.Options != m.next.Options || m.was.Consent != m.next.Consent {
		return false
	}
	return slices.EqualFunc(manifest.Logs, m.base.Logs, func(a, b landing.Log) bool {
		return a.SourceID == b.SourceID && a.Fingerprint == b.Fingerprint
	}) && slices.Equal(manifest.Files, m.base.Files)
}

// manifest returns the manifest of the files after the push.
func (m *making) manifest() *landing.Manifest {
	now := m.Now().UTC()
	manifest := &landing.Manifest{
		Version: landing.Version, Machine: m.machine, Name: m.st.Hostname(), Generation: m.last + 1, WrittenAt: now,
		Writer: m.next.Writer, Consent: m.consent, Program: m.Program, Schema: tables.SchemaHash(),
		Texts: m.Texts, Rules: m.rules(), Users: m.Users,
	}
	switch m.Texts {
	case landing.NoText:
		manifest.Name = ""
	case landing.Redacted:
		manifest.Name = m.Redact.Redact(manifest.Name, false)
	}
	for _, i := range m.parts {
		t := landing.Table{Name: i.Name, Beside: i.beside, Doc: i.Doc, Time: i.time}
		for _, c := range i.columns {
			t.Columns = append(t.Columns, landing.Column{Name: c.Name, Type: c.Type, Doc: c.Doc})
		}
		manifest.Tables = append(manifest.Tables, t)
	}
	manifest.Files = m.files.all()
	manifest.Logs = m.logs(manifest.Files)
	longest := graceOfFormer
	if m.deletesSuperseded() {
		longest = graceOfFiles
	}
	manifest.Superseded = m.files.superseded(now, longest)
	return manifest
}

// logs returns the logs whose rows the files hold.
func (m *making) logs(files []landing.File) (list []landing.Log) {
	places := map[string]int{}
	for n, f := range files {
		places[f.Path] = n
	}
	told := map[int64][]string{}
	holds := map[int64][]int{}
	for _, name := range slices.Sorted(maps.Keys(m.next.Units)) {
		u := m.next.Units[name]
		for id, sum := range u.Landed {
			told[id] = append(told[id], name+" "+sum)
			holds[id] = append(holds[id], places[u.File])
		}
	}
	for _, id := range sortedKeys(m.changes.agents) {
		slices.Sort(holds[id])
		list = append(list, landing.Log{SourceID: id, Agent: m.changes.agents[id], Fingerprint: digest(told[id]...), Files: holds[id]})
	}
	return list
}

func sortedKeys[V any](m map[int64]V) []int64 { return slices.SortedFunc(maps.Keys(m), cmp.Compare) }

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
func (r *Report) sent(list []*newFile) {
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
