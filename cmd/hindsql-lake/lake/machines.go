package lake

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"hindsql/engine/fleet/landing"
	"hindsql/tables"
)

// atOnce is how many small files are read side by side.
const atOnce = 32

// file is a file of rows that a manifest names.
type file struct {
	machine, day string
	rows, bytes  int64
}

// want is what the manifests say that a table should hold.
type want struct {
	name, doc, time string           // time: the column that days are of; empty for none
	columns         []landing.Column // of all manifests, this build's first
	files           map[string]file  // by URL
}

// plan is what all manifests say.
type plan struct {
	tables    map[string]*want
	kept      map[string]bool    // machines of which the lake keeps what it has
	forgotten []string           // machines with a tombstone
	machines  int                // whose manifests count
	found     int                // machines that there are
	contents  map[string]content // what tables hold that was looked at, by name
}

// machines reads all manifests, many at a time, and gives them by their machines'
// names. No more than some are held: those of ten thousand machines are gigabytes.
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

// plan reads all manifests. What is wrong with one is said, and the others count.
func (l *Lake) plan(ctx context.Context, known map[string]*want) (*plan, error) {
	p := &plan{tables: known, kept: map[string]bool{}, contents: map[string]content{}}
	return p, l.machines(ctx, func(f *landing.Found) error {
		p.found++
		switch err := l.refuse(p, f); {
		case f.Err == nil && f.Refused(): // one that can't be read may have consented anew
			p.forgotten = append(p.forgotten, f.Machine)
		case err != nil:
			l.say("machine %s: %v; what the lake has of it stays", f.Machine, err)
			p.kept[f.Machine] = true
		case f.Manifest != nil:
			p.machines++
			p.add(l, f.Manifest)
		}
		return nil
	})
}

// refuse says why a machine's manifest doesn't count. No manifest at all is none
// to refuse: rows that it named are those of no manifest any more.
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

// fits says whether a table of a manifest goes into that of the lake.
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

// add has the files of a manifest in the plan.
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
		w.columns, _ = union(w.columns, t.Columns) // fits has seen the error
	}
	for _, f := range m.Files {
		if w := p.tables[f.Table]; w != nil && !f.Beside && f.Rows > 0 {
			w.files[l.place(landing.Root+"/"+m.Machine+"/"+f.Path)] = file{m.Machine, f.Day, f.Rows, f.Bytes}
		}
	}
}

// names of the plan's tables, sorted.
func (p *plan) names() []string { return slices.Sorted(maps.Keys(p.tables)) }

// known are the tables that this build knows, without files: views need all of
// them, with all of their columns.
func known() map[string]*want {
	list := map[string]*want{}
	for _, t := range tables.Landed() {
		w := &want{name: t.Name, doc: t.Doc, files: map[string]file{}}
		for _, c := range t.Columns {
			w.columns = append(w.columns, landing.Column{Name: c.Name, Type: c.Type, Doc: c.Doc})
		}
		w.time = timeOf(w.columns)
		list[t.Name] = w
	}
	return list
}

// timeOf is the column that a push divides a table by: rows' own time.
func timeOf(columns []landing.Column) (name string) {
	for _, c := range columns {
		if c.Name == "timestamp" || c.Name == "started_at" {
			name = cmp.Or(name, c.Name)
		}
	}
	return name
}
