package lake

import (
	"context"
	"maps"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
)

// difference lists what must change in a table for it to have the wanted files.
type difference struct {
	all   map[string]file    // files whose rows belong in the table, by URL
	add   map[string]file    // files to add; part of all
	again map[string]bool    // files in both add and drop: a machine wrote other bytes under the same name; with the old size in the table, engines find no rows
	drop  []iceberg.DataFile // files to drop: no longer named, or with rows of such a file
	days  map[string]bool    // days whose compaction by another engine is undone
	rows  int64              // rows in add
}

func (d *difference) none() bool { return len(d.add) == 0 && len(d.drop) == 0 }

// difference compares a table's files with the wanted files. Another engine may have
// compacted landed files into a file of its own. If that file holds rows of an outdated
// landed file, it is replaced by all wanted landed files of its day. They still exist,
// because manifests name them. So hindsql-lake never has to read rows to delete some.
func (l *Lake) difference(t *table.Table, w *want, p *plan, h *tableFiles, absorbed map[string]file) *difference {
	d := &difference{all: maps.Clone(w.files), add: map[string]file{}, again: map[string]bool{}, days: map[string]bool{}}
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

// keep adds files of kept machines (machines whose new manifest isn't used) to the
// wanted files: the files that the table has now.
func (d *difference) keep(l *Lake, p *plan, h *tableFiles, absorbed map[string]file) {
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

// undo drops the files that other engines wrote for the days in d.days. If one of these
// files may have rows of any day, undo adds all days.
func (d *difference) undo(t *table.Table, h *tableFiles, absorbed map[string]file) {
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

// stage makes a transaction apply the difference. iceberg-go can't add a file that the
// same snapshot drops, so a second snapshot adds the rewritten files.
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

// content holds a table's current files, and the landed files whose rows lie in files
// written by other engines.
type content struct {
	h        *tableFiles
	absorbed map[string]file
}

// differs returns the difference between a table and the wanted files. The table's
// content is read once, even if the plan changes.
func (l *Lake) differs(ctx context.Context, t *table.Table, p *plan, w *want) (*difference, error) {
	has, ok := p.contents[w.name]
	if !ok {
		var err error
		if has.h, err = l.tableFiles(ctx, t); err != nil {
			return nil, err
		}
		if has.absorbed, err = l.absorbed(ctx, t, has.h); err != nil {
			return nil, err
		}
		p.contents[w.name] = has
	}
	return l.difference(t, w, p, has.h, has.absorbed), nil
}
