package lake

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/iceberg-go/table"
	"golang.org/x/sync/errgroup"

	"hindsql/engine/fleet/landing"
)

// content holds a table's current files, and the landed files whose rows lie in files
// written by other engines.
type content struct {
	h        *holding
	absorbed map[string]file
}

// differs returns the difference between a table and the wanted files. The table's
// content is read once, even if the plan changes.
func (l *Lake) differs(ctx context.Context, t *table.Table, p *plan, w *want) (*difference, error) {
	has, ok := p.contents[w.name]
	if !ok {
		var err error
		if has.h, err = l.holding(ctx, t); err != nil {
			return nil, err
		}
		if has.absorbed, err = l.absorbed(ctx, t, has.h); err != nil {
			return nil, err
		}
		p.contents[w.name] = has
	}
	return l.difference(t, w, p, has.h, has.absorbed), nil
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
			if len(p.kept) == 0 && l.holds(t, w, hashOf(w.files)) {
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
			l.say("machine %s: %s isn't there whole, as its manifest says it is; what the lake has of it stays", machine, wrong[i])
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
