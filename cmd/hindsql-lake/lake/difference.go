package lake

import (
	"context"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// difference is what a table lacks of what it should hold.
type difference struct {
	all   map[string]file    // whose rows it should have, by URL
	add   map[string]file    // of all
	again map[string]bool    // of add and drop: written anew under its name, with other bytes; engines find no rows by the size of before
	drop  []iceberg.DataFile // that are named no more, or hold rows of such
	days  map[string]bool    // whose compaction is undone
	rows  int64              // of add
}

func (d *difference) none() bool { return len(d.add) == 0 && len(d.drop) == 0 }

// difference compares the files. Where rows of a file that counts no more lie in
// one that another engine wrote, that day's files of the landing take the place
// of the engine's: they are all still there, because manifests name them. So no
// row is read to delete others.
func (l *Lake) difference(t *table.Table, w *want, p *plan, h *holding, absorbed map[string]file) *difference {
	d := &difference{all: map[string]file{}, add: map[string]file{}, again: map[string]bool{}, days: map[string]bool{}}
	for url, f := range w.files {
		d.all[url] = f
	}
	d.keep(l, p, h, absorbed)
	for url, f := range absorbed {
		if _, counts := d.all[url]; !counts {
			d.days[f.day] = true
		}
	}
	if len(d.days) > 0 {
		d.undo(t, h, absorbed)
	}
	for url, f := range h.files {
		switch now, counts := d.all[url]; {
		case !counts:
			d.drop = append(d.drop, f)
		case f.FileSizeBytes() != now.bytes || f.Count() != now.rows:
			d.drop = append(d.drop, f)
			d.again[url] = true
		}
	}
	for url, f := range d.all {
		_, inside := absorbed[url]
		if h.files[url] == nil && (!inside || d.days[f.day]) || d.again[url] {
			d.add[url] = f
			d.rows += f.rows
		}
	}
	return d
}

// keep has the files count that the table has of machines whose manifests don't.
func (d *difference) keep(l *Lake, p *plan, h *holding, absorbed map[string]file) {
	for url, f := range h.files {
		if machine, day, _ := l.origin(url); p.kept[machine] {
			d.all[url] = file{machine, day, f.Count(), f.FileSizeBytes()}
		}
	}
	for url, f := range absorbed {
		if p.kept[f.machine] {
			d.all[url] = f
		}
	}
}

// undo drops what another engine wrote of the days. A file that may have rows of
// any day takes all days with it.
func (d *difference) undo(t *table.Table, h *holding, absorbed map[string]file) {
	for _, f := range h.foreign {
		if _, ok := dayOf(t, f); !ok {
			for _, a := range absorbed {
				d.days[a.day] = true
			}
		}
	}
	for _, f := range h.foreign {
		if day, ok := dayOf(t, f); !ok || d.days[day] {
			d.drop = append(d.drop, f)
		}
	}
}

// stage has a transaction make the difference. iceberg-go adds no file that is
// dropped in the same snapshot, so what was written anew goes in by another.
func (d *difference) stage(ctx context.Context, tx *table.Transaction, t *table.Table) error {
	var add, again []iceberg.DataFile
	for _, url := range sorted(d.add) {
		f, err := dataFile(t, url, d.add[url])
		if err != nil {
			return err
		}
		if d.again[url] {
			again = append(again, f)
			continue
		}
		add = append(add, f)
	}
	options := []table.WriteOption{table.WithoutAutoNameMapping(), table.WithoutDuplicateCheck()}
	if len(d.drop) == 0 {
		return tx.AddDataFiles(ctx, add, nil, options...)
	}
	err := tx.ReplaceDataFilesWithDataFiles(ctx, d.drop, add, nil, options...)
	if err != nil || len(again) == 0 {
		return err
	}
	return tx.AddDataFiles(ctx, again, nil, options...)
}
