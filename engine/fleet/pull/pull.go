// Package pull brings the rows that other machines pushed into a store.
//
// In: a session of the engine, and the place where machines push to, see package
// landing. Out: the rows of their logs, in place of those that were pulled before,
// each machine's in one transaction. What is torn, not whole yet, or out of bounds
// leaves the machine as it was. Syncs and prunes leave the rows alone. The package writes to
// no landing.
package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Options say from where.
type Options struct {
	Target   *landing.Target
	Bounds   Bounds // Usual where it is zero
	Progress func(machine string)
}

// Report says what a pull did.
type Report struct {
	Machines []Machine // in the order of their ids; this one left out
	Elapsed  time.Duration
}

// Machine says what became of a machine's rows.
type Machine struct {
	ID, Name string
	Logs     int   // whose rows came
	Rows     int64 // that came
	Dropped  int   // logs whose rows went, and didn't come again
	Kept     int   // logs that it doesn't push, and whose rows stay: no pull brought them
	Refused  bool  // it is to be forgotten
	Other    bool  // another version of hindsql pushed: what one of the two doesn't know is null, or left out
	Err      error // why its rows stay as they were; nil where they are as it pushed them
}

// pulling is one pull.
type pulling struct {
	Options
	st    *engine.Store
	own   string
	known map[string]map[int64]string // by machine and log: its fingerprint
	other map[string][]int64          // by machine: logs whose rows are here, and that no pull brought
}

// Run pulls from all machines but this one. The error is that of the target, of the
// store, or of a pull that could read no machine at all; what is wrong with a
// machine stands in the report.
func Run(ctx context.Context, s *engine.Session, o Options) (report Report, err error) {
	start := time.Now()
	o.Bounds = cmp.Or(o.Bounds, Usual)
	p := &pulling{o, s.Store(), s.Store().Machine(), map[string]map[int64]string{}, map[string][]int64{}}
	if err := p.remember(ctx, s); err != nil {
		return report, err
	}
	all, err := landing.Machines(ctx, o.Target)
	if err != nil {
		return report, err
	}
	for _, f := range all {
		if f.Machine == p.own {
			continue
		}
		if o.Progress != nil {
			o.Progress(f.Machine)
		}
		m, err := p.machine(ctx, f)
		if err != nil {
			return report, err
		}
		m.Kept = p.kept(f, m)
		report.Machines = append(report.Machines, m)
	}
	report.Elapsed = time.Since(start)
	failed := func(m Machine) bool { return m.Err != nil }
	if len(report.Machines) > 0 && !slices.ContainsFunc(report.Machines, func(m Machine) bool { return !failed(m) }) {
		return report, fmt.Errorf("%s: no machine's rows can be read", o.Target.URL)
	}
	return report, nil
}

// remember reads what was pulled before, and which logs of other machines the store
// has from elsewhere.
func (p *pulling) remember(ctx context.Context, s *engine.Session) error {
	pulled := engine.StoreSchema + "." + tables.Pulled().Name
	return s.ReadStored(ctx, func(r *engine.Reading) error {
		err := r.Each(ctx, "SELECT machine, source_id, fingerprint FROM "+pulled, func(scan func(...any) error) error {
			var machine, fingerprint string
			var id int64
			err := scan(&machine, &id, &fingerprint)
			if p.known[machine] == nil {
				p.known[machine] = map[int64]string{}
			}
			p.known[machine][id] = fingerprint
			return err
		})
		if err != nil {
			return err
		}
		query := fmt.Sprintf("SELECT machine, source_id FROM %s.%s AS s ANTI JOIN %s USING (machine, source_id) WHERE machine <> %s",
			engine.StoreSchema, tables.Sources().Name, pulled, sqltext.Literal(p.own))
		return r.Each(ctx, query, func(scan func(...any) error) error {
			var machine string
			var id int64
			err := scan(&machine, &id)
			p.other[machine] = append(p.other[machine], id)
			return err
		})
	})
}

// kept counts the logs whose rows stay though the machine doesn't push them. It is
// zero if nothing of the machine was pulled.
func (p *pulling) kept(f *landing.Found, m Machine) (n int) {
	if m.Err != nil || f.Manifest == nil && !m.Refused {
		return 0
	}
	named := map[int64]bool{}
	if !m.Refused {
		for _, l := range f.Manifest.Logs {
			named[l.SourceID] = true
		}
	}
	for _, id := range p.other[f.Machine] {
		if !named[id] {
			n++
		}
	}
	return n
}

// machine brings a machine's rows to what it pushed. The error is that of the
// store, or of the context.
func (p *pulling) machine(ctx context.Context, f *landing.Found) (m Machine, err error) {
	m.ID, m.Err = f.Machine, f.Err
	switch {
	case f.Err != nil:
		return m, ctx.Err()
	case f.Refused():
		m.Refused = true
		return m, p.drop(ctx, &m, p.all(f.Machine))
	case f.Manifest == nil:
		return m, nil
	}
	m.Name, m.Other = f.Manifest.Name, f.Manifest.Schema != tables.SchemaHash()
	c := p.compare(f.Manifest)
	if len(c.come) == 0 {
		return m, p.drop(ctx, &m, c.gone)
	}
	rows, drop, err := p.fetch(ctx, f.Manifest, c)
	if err != nil {
		m.Err = err
		return m, ctx.Err()
	}
	defer drop()
	return m, p.replace(ctx, &m, rows, c)
}

// all are the logs that were pulled from a machine.
func (p *pulling) all(machine string) (ids []int64) {
	for id := range p.known[machine] {
		ids = append(ids, id)
	}
	return ids
}

// change is what is to be done: logs whose rows come, in place of those that
// there are, and logs whose rows go.
type change struct {
	come []landing.Log
	gone []int64
}

// knownAs is what a log's rows are remembered by: where another version of hindsql
// pushed them, the version here, too. A later one may know more of their columns.
func knownAs(m *landing.Manifest, l landing.Log) string {
	if m.Schema == tables.SchemaHash() {
		return l.Fingerprint
	}
	return l.Fingerprint + " read by " + tables.SchemaHash()
}

func (p *pulling) compare(m *landing.Manifest) (c change) {
	known, named := p.known[m.Machine], map[int64]bool{}
	for _, l := range m.Logs {
		as := knownAs(m, l)
		if named[l.SourceID] = true; known[l.SourceID] != l.Fingerprint && known[l.SourceID] != as {
			l.Fingerprint = as
			c.come = append(c.come, l)
		}
	}
	for id := range known {
		if !named[id] {
			c.gone = append(c.gone, id)
		}
	}
	return c
}

// drop drops the rows of logs.
func (p *pulling) drop(ctx context.Context, m *Machine, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	m.Dropped = len(ids)
	return p.st.Write(ctx, func(w *engine.Writer) error {
		return errors.Join(w.Remove(ctx, ids), w.Link(ctx, nil))
	})
}
