// Package pull brings rows pushed by other machines into a store.
//
// In: a session of the engine, and the target that machines push to (package landing).
// Out: the rows of the machines' logs, in place of rows pulled before, in one
// transaction for each machine. If a machine's files are torn, incomplete or out of
// bounds, its old rows stay. Syncs and prunes keep pulled rows. The package writes to
// no landing.
package pull

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hindsql/engine"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/store"
	"hindsql/tables"
)

// Options name the target of a pull.
type Options struct {
	Target *landing.Target
	Bounds Bounds // zero means DefaultBounds
}

// Report is the result of a pull.
type Report struct {
	Machines []Machine // sorted by id, without this machine
	Elapsed  time.Duration
}

// Machine is the result for one machine.
type Machine struct {
	ID, Name string
	Logs     int   // number of logs whose rows came
	Rows     int64 // number of rows that came
	Dropped  int   // number of logs whose rows were removed without replacement
	Refused  bool  // the machine is forgotten
	Other    bool  // another version of hindsql pushed: columns known to only one version are null or left out
	Err      error // reason why the old rows stay; nil if the rows match the push
}

// pulling is a pull in progress.
type pulling struct {
	Options
	st    *engine.Store
	own   string
	known map[string]map[int64]string // machine to log to fingerprint
}

// Run pulls from all other machines. It returns an error if the target or the store
// fails, or if no machine could be read. The report has the errors of single machines.
func Run(ctx context.Context, s *engine.Session, o Options) (report Report, err error) {
	start := time.Now()
	o.Bounds = cmp.Or(o.Bounds, DefaultBounds)
	p := &pulling{o, s.Store(), s.Store().Machine(), map[string]map[int64]string{}}
	if err := p.readFingerprints(ctx, s); err != nil {
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
		m, err := p.pullMachine(ctx, f)
		if err != nil {
			return report, err
		}
		report.Machines = append(report.Machines, m)
	}
	report.Elapsed = time.Since(start)
	failed := func(m Machine) bool { return m.Err != nil }
	if len(report.Machines) > 0 && !slices.ContainsFunc(report.Machines, func(m Machine) bool { return !failed(m) }) {
		return report, fmt.Errorf("%s: no machine's rows can be read", o.Target.URL)
	}
	return report, nil
}

// readFingerprints reads the fingerprints of pulled logs.
func (p *pulling) readFingerprints(ctx context.Context, s *engine.Session) error {
	query := "SELECT machine, source_id, fingerprint FROM " + engine.StoreSchema + "." + tables.Pulled().Name
	return s.ReadStored(ctx, func(r *engine.Reading) error {
		return r.Each(ctx, query, func(scan func(...any) error) error {
			var machine, fingerprint string
			var id int64
			err := scan(&machine, &id, &fingerprint)
			if p.known[machine] == nil {
				p.known[machine] = map[int64]string{}
			}
			p.known[machine][id] = fingerprint
			return err
		})
	})
}

// pullMachine replaces a machine's rows with the pushed rows. It returns an error if the
// store fails or the context ends.
func (p *pulling) pullMachine(ctx context.Context, f *landing.Found) (m Machine, err error) {
	m.ID, m.Err = f.Machine, f.Err
	switch {
	case f.Err != nil:
		return m, ctx.Err()
	case f.Refused():
		m.Refused = true
		return m, p.removeLogs(ctx, &m, slices.Collect(maps.Keys(p.known[f.Machine])))
	case f.Manifest == nil:
		return m, nil
	}
	m.Name, m.Other = f.Manifest.Name, f.Manifest.Schema != tables.SchemaHash()
	c := p.compare(f.Manifest)
	if len(c.come) == 0 {
		return m, p.removeLogs(ctx, &m, c.gone)
	}
	rows, drop, err := p.fetch(ctx, f.Manifest, c)
	if err != nil {
		m.Err = err
		return m, ctx.Err()
	}
	defer drop()
	return m, p.replace(ctx, &m, rows, c)
}

// change lists the logs whose rows come and replace old rows, and the logs whose rows
// go.
type change struct {
	come []landing.Log
	gone []int64
}

// fingerprintOf returns the fingerprint to remember for a log. If another version of
// hindsql pushed the log, the fingerprint includes this build's version: a later build
// may know more of the columns.
func fingerprintOf(m *landing.Manifest, l landing.Log) string {
	if m.Schema == tables.SchemaHash() {
		return l.Fingerprint
	}
	return l.Fingerprint + " read by " + tables.SchemaHash()
}

func (p *pulling) compare(m *landing.Manifest) (c change) {
	known, named := p.known[m.Machine], map[int64]bool{}
	for _, l := range m.Logs {
		as := fingerprintOf(m, l)
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

// removeLogs removes the rows of logs.
func (p *pulling) removeLogs(ctx context.Context, m *Machine, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	m.Dropped = len(ids)
	return p.st.Write(ctx, func(w *engine.Writer) error {
		return errors.Join(w.Remove(ctx, ids), w.Link(ctx, nil))
	})
}

// fetched holds the files with rows of changed logs, by table.
type fetched map[string][]local

// local is a file of the landing, with the path of its copy on this machine.
type local struct {
	landing.File
	path string
}

// fetch copies the files with changed rows into a temporary folder, and checks each
// file against the manifest and the bounds. Files may differ while the folder is still
// being copied or synchronised.
func (p *pulling) fetch(ctx context.Context, m *landing.Manifest, c change) (found fetched, drop func(), err error) {
	if err := p.Bounds.checkManifest(m); err != nil {
		return nil, nil, err
	}
	dir, drop, err := store.Scratch("pull")
	if err != nil {
		return nil, nil, err
	}
	needed := map[int]bool{}
	for _, l := range c.come {
		for _, n := range l.Files {
			needed[n] = true
		}
	}
	found = fetched{}
	for n, f := range m.Files {
		if !needed[n] {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.parquet", n))
		if err := p.fetchOne(ctx, m.Machine, f, path); err != nil {
			drop()
			return nil, nil, err
		}
		found[f.Table] = append(found[f.Table], local{f, path})
	}
	if err := p.checkFiles(ctx, found); err != nil {
		drop()
		return nil, nil, err
	}
	return found, drop, nil
}

func (p *pulling) fetchOne(ctx context.Context, machine string, f landing.File, path string) error {
	prefix, err := landing.Prefix(machine)
	if err != nil {
		return err
	}
	r, err := p.Target.Get(ctx, prefix+"/"+f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: missing; it may still be on its way", f.Path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	defer r.Close()
	w, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer w.Close()
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(r, f.Bytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", f.Path, err)
	case n != f.Bytes:
		return fmt.Errorf("%s: is not of %d bytes; it may still be on its way", f.Path, f.Bytes)
	case hex.EncodeToString(h.Sum(nil)) != f.Sum:
		return fmt.Errorf("%s: is not what the manifest names; it may still be on its way", f.Path)
	}
	return w.Close()
}
