package lake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// tries is the maximum number of attempts if other commits come first.
const tries = 12

// Change describes a commit's changes to one table.
type Change struct {
	Table          string
	Added, Dropped int   // files
	Rows           int64 // rows in the added files
	Days           int   // days whose compaction was undone
}

// Result describes a commit.
type Result struct {
	Machines  int      // machines with a valid manifest
	Kept      int      // machines whose files stay as they were
	Forgotten []string // machines with a tombstone
	Changes   []Change // one for each changed table
	Views     []string // names of the written views
}

// Commit makes the tables hold the rows that the manifests name. Each table changes in
// one snapshot. The next commit finishes an interrupted one.
func (l *Lake) Commit(ctx context.Context) (*Result, error) {
	if err := l.acquireLease(ctx); err != nil {
		return nil, err
	}
	r, err := l.commit(ctx)
	return r, errors.Join(err, l.release(ctx))
}

func (l *Lake) commit(ctx context.Context) (*Result, error) {
	var changes []Change
	for try := 1; ; try++ {
		r, err := l.once(ctx)
		if r != nil {
			changes = append(changes, r.Changes...)
		}
		conflict := errors.Is(err, table.ErrCommitFailed) || errors.Is(err, catalog.ErrTableAlreadyExists) || errors.Is(err, catalog.ErrViewAlreadyExists)
		if !conflict || try == tries {
			if r != nil {
				r.Changes = changes
			}
			return r, err
		}
		select { // rival commits take about as long as this one
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(time.Duration(rand.IntN(100*try)) * time.Millisecond):
		}
	}
}

// once tries one commit on top of the tables' current snapshots. once loads the tables,
// then reads the manifests. So if the commit succeeds, its manifests are at least as
// new as those of the commit before.
func (l *Lake) once(ctx context.Context) (*Result, error) {
	if err := l.namespaces(ctx); err != nil {
		return nil, err
	}
	before, list, err := l.before(ctx)
	if err != nil {
		return nil, err
	}
	p, err := l.plan(ctx, list)
	if err != nil {
		return nil, err
	}
	if p.isElsewhere(before) {
		return nil, fmt.Errorf("%s: no machine has landed anything there, and the tables have rows; see that it is mounted, and spelled as it was", l.target.URL)
	}
	if err := l.check(ctx, before, p); err != nil {
		return nil, err
	}
	r := &Result{Machines: p.machines, Kept: len(p.kept), Forgotten: p.forgotten}
	now := map[string]*table.Table{}
	for _, name := range p.names() {
		if err := l.renew(ctx); err != nil {
			return r, err
		}
		t, change, err := l.fill(ctx, before[name], p, p.tables[name])
		if err != nil {
			return r, fmt.Errorf("table %s: %w", name, err)
		}
		now[name] = t
		if change != nil {
			r.Changes = append(r.Changes, *change)
		}
	}
	r.Views, err = l.views(ctx)
	return r, errors.Join(err, l.forget(ctx, now, p.forgotten)) // an error of views must not keep a forgotten machine's rows
}

// before loads the existing tables. Their columns are added to the wanted tables, to
// drop no column.
func (l *Lake) before(ctx context.Context) (map[string]*table.Table, map[string]*want, error) {
	list := known()
	names, err := l.names(ctx)
	if err != nil {
		return nil, nil, err
	}
	there := map[string]*table.Table{}
	for _, name := range names {
		t, err := l.load(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		if t == nil {
			continue // dropped since the listing
		}
		w := list[name]
		if w == nil {
			w = &want{name: name, files: map[string]file{}}
			list[name] = w
		}
		if w.time, err = dayColumn(t); err != nil {
			return nil, nil, err
		}
		if w.columns, err = union(w.columns, columnsOf(t)); err != nil {
			return nil, nil, fmt.Errorf("table %s: %w", name, err)
		}
		there[name] = t
	}
	return there, list, nil
}

// create makes a table.
func (l *Lake) create(ctx context.Context, w *want) (*table.Table, error) {
	schema, err := schemaOf(w.columns)
	if err != nil {
		return nil, err
	}
	return l.catalog.CreateTable(ctx, l.ident(w.name), schema, catalog.WithPartitionSpec(spec(schema, w.time)), catalog.WithProperties(iceberg.Properties{
		"format-version":              "2",
		"comment":                     w.doc,
		table.ManifestMergeEnabledKey: "true", // otherwise each commit adds a manifest for queries to open
		table.MetadataDeleteAfterCommitEnabledKey: "true", // otherwise each commit leaves a metadata file forever
		table.MetadataPreviousVersionsMaxKey:      "20",
		table.MaxSnapshotAgeMsKey:                 fmt.Sprint(Keep.Milliseconds()),
		"write.parquet.compression-codec":         "zstd", // for compactions by other engines
	}))
}

// fill makes a table hold the wanted files, in one snapshot. The change is nil if no
// file changes.
func (l *Lake) fill(ctx context.Context, t *table.Table, p *plan, w *want) (_ *table.Table, _ *Change, err error) {
	if t == nil {
		if t, err = l.create(ctx, w); err != nil {
			return nil, nil, err
		}
	}
	tx := t.NewTransaction()
	if err := tx.AssertRefSnapshotID(table.MainBranch); err != nil {
		return nil, nil, err
	}
	if err := grow(tx, t, w.columns); err != nil {
		return nil, nil, err
	}
	change, err := l.stage(ctx, tx, t, p, w)
	if err != nil {
		return nil, nil, err
	}
	staged, err := tx.StagedTable()
	if err != nil {
		return nil, nil, err
	}
	names, err := mapping(staged.Schema())
	if err != nil {
		return nil, nil, err
	}
	if t.Properties()[table.DefaultNameMappingKey] != names {
		if err := tx.SetProperties(iceberg.Properties{table.DefaultNameMappingKey: names}); err != nil {
			return nil, nil, err
		}
	}
	if t, err = tx.Commit(ctx); err != nil {
		return nil, nil, err
	}
	if change != nil {
		err = l.tidyLists(ctx, t)
	}
	return t, change, err
}

// stage adds and drops files in a transaction. The result is nil if the table needs no
// change.
func (l *Lake) stage(ctx context.Context, tx *table.Transaction, t *table.Table, p *plan, w *want) (*Change, error) {
	hash := hashOf(w.files)
	if len(p.kept) == 0 && l.isUpToDate(t, w, hash) {
		return nil, nil
	}
	d, err := l.differs(ctx, t, p, w)
	if err != nil {
		return nil, err
	}
	hash = hashOf(d.all)
	last := t.Properties()[filesKey]
	if d.none() && (last == hash || last == "" && len(d.all) == 0) {
		return nil, nil
	}
	if err := l.writeList(ctx, t, d.all); err != nil {
		return nil, err
	}
	if err := d.stage(ctx, tx, t); err != nil {
		return nil, err
	}
	if err := tx.SetProperties(iceberg.Properties{filesKey: hash, "comment": w.doc}); err != nil {
		return nil, err
	}
	return &Change{w.name, len(d.add), len(d.drop), d.rows, len(d.days)}, nil
}

// isUpToDate reports whether the last commit gave the table exactly these files, and the
// table still has their number of rows. If another program rolled the table back, the
// number differs, and the next commit repairs the table.
func (l *Lake) isUpToDate(t *table.Table, w *want, hash string) bool {
	if last := t.Properties()[filesKey]; last != hash && (last != "" || len(w.files) > 0) {
		return false
	}
	var rows int64
	for _, f := range w.files {
		rows += f.rows
	}
	s := t.CurrentSnapshot()
	if s == nil || s.Summary == nil {
		return rows == 0
	}
	return s.Summary.Properties.Get("total-records", "0") == fmt.Sprint(rows)
}

// leaseTime is how long a committer counts as working after its last sign of life.
const leaseTime = 10 * time.Minute

// Committer is the content of the lease, the file landing.CommitterName. If the file
// exists, a committer deletes superseded files, and machines don't. The content keeps two
// committers from doing the same work. The lease is no lock, because not every API can
// create a file only if missing. The catalog prevents damage by concurrent committers: it
// accepts a snapshot only on top of the snapshot's base. The lease of a killed committer
// blocks others until the lease ends.
type Committer struct {
	Owner     string    `json:"owner"`      // empty: no committer is working
	Until     time.Time `json:"until"`      // UTC; end of the lease
	WrittenAt time.Time `json:"written_at"` // UTC
	Catalog   string    `json:"catalog"`    // URL
	Namespace string    `json:"namespace"`  // namespace of the views
}

const leaseName = landing.Root + "/" + landing.CommitterName

// acquireLease takes the lease, or returns an error that names the holder.
func (l *Lake) acquireLease(ctx context.Context) error {
	c, err := l.committer(ctx)
	if err != nil {
		return err
	}
	if c.Owner != "" && c.Owner != l.Owner && l.Now().Before(c.Until) {
		return fmt.Errorf("%s: %s is at work until %s; wait for it, or say --take-over if it was ended", l.target.URL, c.Owner, c.Until.Format(time.TimeOnly+"Z"))
	}
	return l.write(ctx, l.Owner)
}

// EndLease ends the lease of another committer.
func (l *Lake) EndLease(ctx context.Context) error { return l.write(ctx, "") }

// renew extends the committer's own lease, at most once a minute.
func (l *Lake) renew(ctx context.Context) error {
	if l.Now().Sub(l.renewed) < time.Minute {
		return nil
	}
	return l.write(ctx, l.Owner)
}

// release ends the committer's own lease, even after an interruption. If another
// committer has taken over, release does nothing.
func (l *Lake) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if c, err := l.committer(ctx); err == nil && c.Owner != "" && c.Owner != l.Owner {
		return nil
	}
	return l.write(ctx, "")
}

func (l *Lake) write(ctx context.Context, owner string) error {
	now := l.Now().UTC()
	l.renewed = now
	text, err := json.Marshal(Committer{Owner: owner, Until: now.Add(leaseTime), WrittenAt: now, Catalog: l.Catalog, Namespace: l.Namespace})
	if err == nil {
		err = l.target.Put(ctx, leaseName, bytes.NewReader(text), int64(len(text)))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", leaseName, err)
	}
	return nil
}

// committer reads the lease file. A torn file counts as no lease.
func (l *Lake) committer(ctx context.Context) (c Committer, err error) {
	r, err := l.target.Get(ctx, leaseName)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", leaseName, err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 1<<16))
	if err == nil && json.Unmarshal(text, &c) != nil {
		c = Committer{}
	}
	return c, err
}
