package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// item is a table, or another unit that is exported like a table.
type item struct {
	name      string // of the file without extension, or of the folder; slash-separated
	extension string
	keys      []string // columns for partitions; empty for one file
	each      string   // instead of keys: SQL of a row's file, relative to the folder
	rows      string   // SELECT of the stored rows, to detect changes
	counted   string   // SQL of the number of rows in a partition; empty to count all rows
	options   recorded
	copy      func(ctx context.Context, path, where string) error
	left      []LeftOut // logs that couldn't be exported
}

// partition returns the SQL of a row's partition: its folder as named by DuckDB, or its
// file.
func (i *item) partition() string {
	if i.each != "" {
		return i.each
	}
	if len(i.keys) == 0 {
		return "''"
	}
	var parts []string
	for _, key := range i.keys {
		parts = append(parts, fmt.Sprintf("'%s=' || coalesce(url_encode(CAST(%s AS VARCHAR)), '__HIVE_DEFAULT_PARTITION__')", key, sqltext.Identifier(key)))
	}
	return strings.Join(parts, " || '/' || ")
}

func (i *item) isPartitioned() bool { return len(i.keys) > 0 || i.each != "" }

// write writes the rows of the given partitions to a file, or to a folder if the item
// is partitioned. nil means all partitions.
func (i *item) write(ctx context.Context, path string, partitions []string) error {
	where := ""
	if partitions != nil {
		where = fmt.Sprintf(" WHERE %s IN (%s)", i.partition(), sqltext.Literals(partitions))
	}
	if err := i.copy(ctx, path, where); err != nil {
		return fmt.Errorf("%s: %w", i.name, err)
	}
	return nil
}

// fingerprint returns each partition's number of rows and hash. The hash is the sum of
// the rows' hashes: it changes with any column, and doesn't depend on the order.
func (e *exporting) fingerprint(ctx context.Context, it *item) (map[string]*exportedPartition, error) {
	found := map[string]*exportedPartition{}
	query := fmt.Sprintf("SELECT %s AS p, %s, coalesce(sum(hash(r)::HUGEINT), 0)::VARCHAR FROM (%s) AS r GROUP BY p",
		it.partition(), cmp.Or(it.counted, "count(*)"), it.rows)
	err := e.reading.Each(ctx, query, func(scan func(...any) error) error {
		var path string
		p := &exportedPartition{}
		err := scan(&path, &p.Rows, &p.Hash)
		found[path] = p
		return err
	})
	if len(found) == 0 && it.each == "" {
		it.keys = nil // an empty file still tells readers the columns; an empty folder doesn't
		found[""] = &exportedPartition{Hash: "0"}
	}
	return found, err
}

func rowsIn(partitions map[string]*exportedPartition) (n int64) {
	for _, p := range partitions {
		n += p.Rows
	}
	return n
}

// items returns the items that the options choose.
func (e *exporting) items(ctx context.Context) ([]*item, error) {
	switch f, _ := formatOf(e.Format); {
	case f.item != nil:
		it, err := f.item(ctx, e)
		return []*item{it}, err
	case e.Query != nil:
		it, err := e.queryItem(ctx)
		return []*item{it}, err
	}
	zone, err := e.zone(ctx)
	if err != nil {
		return nil, err
	}
	var items []*item
	for _, t := range e.tables() {
		items = append(items, e.tableItem(t, zone))
	}
	for _, name := range e.Tables {
		if !slices.ContainsFunc(items, func(i *item) bool { return i.name == itemOf(name) }) {
			return nil, fmt.Errorf("table %q: unknown", name)
		}
	}
	return items, nil
}

func (o *Options) checkKeys(columns []string, known string) error {
	for _, key := range o.PartitionBy {
		if !slices.Contains(columns, key) {
			return fmt.Errorf("partition by %s: unknown; one may partition by %s", key, known)
		}
	}
	return nil
}

// tables returns the tables to export.
func (o *Options) tables() (list []exportTable) {
	for _, v := range tables.Views() {
		// Table projects counts all rows, so it doesn't belong to an export of some
		// rows.
		isPlain := !strings.HasPrefix(v.Name, tables.WithCopies) && (v.Name != "projects" || o.isOfAll())
		if slices.Contains(o.Tables, v.Name) || len(o.Tables) == 0 && isPlain {
			list = append(list, exportTable{Table: v, name: itemOf(v.Name), from: engine.StoredView(v)})
		}
	}
	return list
}

// isOfAll reports whether the export includes all rows.
func (o *Options) isOfAll() bool {
	return len(o.Agents) == 0 && o.Project+o.Since.Text+o.Until.Text == ""
}

// itemOf returns the item name for a table name.
func itemOf(name string) string { return strings.ReplaceAll(name, ".", "/") }

// exportTable is a table to export.
type exportTable struct {
	*tables.Table
	name string // of its file or folder; slash-separated
	from string // SQL of its rows in the store
}

// zone returns the session's time zone, in which days begin.
func (e *exporting) zone(ctx context.Context) (zone string, err error) {
	err = e.reading.Each(ctx, "SELECT current_setting('TimeZone')", func(scan func(...any) error) error { return scan(&zone) })
	return zone, err
}
