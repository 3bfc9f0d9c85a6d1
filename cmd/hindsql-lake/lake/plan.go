package lake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"hindsql/engine/fleet/landing"
	"hindsql/tables"
)

// atOnce is the number of small files read in parallel.
const atOnce = 32

// file is a data file named by a manifest.
type file struct {
	machine, day string
	rows, bytes  int64
}

// want is the content that a table should have according to the manifests.
type want struct {
	name, doc, time string           // time: column for a row's day; empty if none
	columns         []landing.Column // columns of all manifests, this build's first
	files           map[string]file  // by URL
}

// plan is what all manifests together ask for.
type plan struct {
	tables    map[string]*want
	kept      map[string]bool    // machines whose files in the tables stay, because their new manifest isn't used
	forgotten []string           // machines that asked for deletion by a tombstone
	machines  int                // machines with a valid manifest
	found     int                // machines in the landing
	contents  map[string]content // content of the tables examined so far, by name
}

// machines reads all manifests, many in parallel, and passes them to use in the order
// of machine names. Only some manifests are in memory at once: those of ten thousand
// machines take gigabytes.
func (l *Lake) machines(ctx context.Context, use func(*landing.Found) error) error {
	names, err := l.target.Folders(ctx, landing.Root)
	if err != nil {
		return fmt.Errorf("%s: %w", l.target.URL, err)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return name == committed })
	for some := range slices.Chunk(names, 8*atOnce) {
		found := make([]*landing.Found, len(some))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for i, name := range some {
			group.Go(func() error {
				found[i] = landing.Find(ctx, l.target, name)
				return ctx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for _, f := range found {
			if err := use(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// plan reads all manifests. A bad manifest is reported and skipped.
func (l *Lake) plan(ctx context.Context, known map[string]*want) (*plan, error) {
	p := &plan{tables: known, kept: map[string]bool{}, contents: map[string]content{}}
	return p, l.machines(ctx, func(f *landing.Found) error {
		p.found++
		switch err := l.refuse(p, f); {
		case f.Err == nil && f.Refused(): // an unreadable manifest may be a new consent
			p.forgotten = append(p.forgotten, f.Machine)
		case err != nil:
			l.printf("machine %s: %v; what the lake has of it stays", f.Machine, err)
			p.kept[f.Machine] = true
		case f.Manifest != nil:
			p.machines++
			p.add(l, f.Manifest)
		}
		return nil
	})
}

// refuse returns the reason why a machine's manifest is not used; nil if it is. A
// missing manifest is no reason: it means that the machine no longer has rows.
func (l *Lake) refuse(p *plan, f *landing.Found) error {
	if f.Err != nil || f.Manifest == nil {
		return f.Err
	}
	if !l.Plain {
		if n := unredacted(f.Manifest); n > 0 {
			return fmt.Errorf("%d of its files have texts that aren't redacted; push them redacted, or say --plain", n)
		}
	}
	for _, t := range f.Manifest.Tables {
		if err := p.fits(t); err != nil {
			return err
		}
	}
	return nil
}

// unredacted counts the files with plain texts.
func unredacted(m *landing.Manifest) (n int) {
	for _, f := range m.Files {
		if !f.Beside && f.Texts != landing.Redacted && f.Texts != landing.NoText {
			n++
		}
	}
	if n == 0 && m.Texts == landing.Plain {
		n = len(m.Files)
	}
	return n
}

// fits returns an error if a manifest's table doesn't fit into the lake's table.
func (p *plan) fits(t landing.Table) error {
	if t.Beside {
		return nil
	}
	if !plainName.MatchString(t.Name) {
		return fmt.Errorf("table %q: no name of a table", t.Name)
	}
	w := p.tables[t.Name]
	if w != nil && t.Time != w.time {
		return fmt.Errorf("table %s: days are of column %q, and the lake's of %q", t.Name, t.Time, w.time)
	}
	var have []landing.Column
	if w != nil {
		have = w.columns
	}
	_, err := union(have, t.Columns)
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return nil
}

// add adds a manifest's files to the plan.
func (p *plan) add(l *Lake, m *landing.Manifest) {
	for _, t := range m.Tables {
		if t.Beside {
			continue
		}
		w := p.tables[t.Name]
		if w == nil {
			w = &want{name: t.Name, doc: t.Doc, time: t.Time, files: map[string]file{}}
			p.tables[t.Name] = w
		}
		w.columns, _ = union(w.columns, t.Columns) // fits has checked for errors
	}
	for _, f := range m.Files {
		if w := p.tables[f.Table]; w != nil && !f.Beside && f.Rows > 0 {
			w.files[l.place(landing.Root+"/"+m.Machine+"/"+f.Path)] = file{m.Machine, f.Day, f.Rows, f.Bytes}
		}
	}
}

// names returns the names of the plan's tables, sorted.
func (p *plan) names() []string { return slices.Sorted(maps.Keys(p.tables)) }

// known returns the tables that this build knows, without files. Views need all tables
// with all columns.
func known() map[string]*want {
	list := map[string]*want{}
	for _, t := range tables.Pushed() {
		w := &want{name: t.Name, doc: t.Doc, files: map[string]file{}}
		for _, c := range t.Columns {
			w.columns = append(w.columns, landing.Column{Name: c.Name, Type: c.Type, Doc: c.Doc})
		}
		w.time = timeOf(w.columns)
		list[t.Name] = w
	}
	return list
}

// timeOf returns the column by which a push divides a table into days: a row's own
// time.
func timeOf(columns []landing.Column) (name string) {
	for _, c := range columns {
		if c.Name == "timestamp" || c.Name == "started_at" {
			name = cmp.Or(name, c.Name)
		}
	}
	return name
}

// isElsewhere reports whether the landing has no machine although the tables have rows.
// Then the folder isn't mounted, or it is the wrong folder, and no rows must be
// dropped.
func (p *plan) isElsewhere(before map[string]*table.Table) bool {
	if p.found > 0 {
		return false
	}
	for _, t := range before {
		if s := t.CurrentSnapshot(); s != nil && s.Summary != nil && s.Summary.Properties.Get("total-records", "0") != "0" {
			return true
		}
	}
	return false
}

// check excludes a machine from the commit if its manifest names a new file that is
// missing or has another length. A table with a missing file can't be read at all, not
// even other machines' rows. Machines without new files are not checked.
func (l *Lake) check(ctx context.Context, before map[string]*table.Table, p *plan) error {
	fresh := map[string]map[string]file{} // by machine
	for _, name := range p.names() {
		w, add := p.tables[name], p.tables[name].files
		if t := before[name]; t != nil {
			if len(p.kept) == 0 && l.isUpToDate(t, w, hashOf(w.files)) {
				continue
			}
			d, err := l.differs(ctx, t, p, w)
			if err != nil {
				return fmt.Errorf("table %s: %w", name, err)
			}
			add = d.add
		}
		for url, f := range add {
			if fresh[f.machine] == nil {
				fresh[f.machine] = map[string]file{}
			}
			fresh[f.machine][url] = f
		}
	}
	machines := sorted(fresh)
	wrong := make([]string, len(machines))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, machine := range machines {
		group.Go(func() (err error) {
			wrong[i], err = l.missing(ctx, machine, fresh[machine])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, machine := range machines {
		switch {
		case wrong[i] == "":
		case p.kept[machine]: // the new manifest isn't the wrong part
			return fmt.Errorf("machine %s: %s is gone, and its rows lie only in files that another engine joined, of a day that has changed; have the machine push anew, or forget it", machine, wrong[i])
		default:
			l.printf("machine %s: %s isn't there whole, as its manifest says it is; what the lake has of it stays", machine, wrong[i])
			p.keep(machine)
		}
	}
	return nil
}

// missing returns the name of a file that is missing or has another length; empty if
// all files are complete.
func (l *Lake) missing(ctx context.Context, machine string, files map[string]file) (string, error) {
	there := map[string]int64{}
	err := l.target.List(ctx, landing.Root+"/"+machine, func(e landing.Entry) error {
		there[l.place(e.Name)] = e.Bytes
		return nil
	})
	for _, url := range sorted(files) {
		if n, ok := there[url]; !ok || n != files[url].bytes {
			return strings.TrimPrefix(url, l.place(landing.Root)+"/"+machine+"/"), err
		}
	}
	return "", err
}

// keep takes a machine's new files out of the plan. The machine's old files stay in the
// tables.
func (p *plan) keep(machine string) {
	p.kept[machine] = true
	p.machines--
	for _, w := range p.tables {
		for url, f := range w.files {
			if f.machine == machine {
				delete(w.files, url)
			}
		}
	}
}
