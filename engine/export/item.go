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

// item is a table, or what is exported like one.
type item struct {
	name      string // of its file, without the extension, or of its folder; slash-separated
	extension string
	keys      []string // columns that it is partitioned by; empty: one file
	each      string   // in place of keys: SQL of the file that a row belongs to, relative to the folder
	rows      string   // SELECT of the rows as they stand in the store, for telling whether they changed
	counted   string   // SQL of the number of rows in a partition; empty for all of rows
	options   recorded
	copy      func(ctx context.Context, path, where string) error
	left      []LeftOut // what it should hold and doesn't
}

// partition is the SQL of a row's partition: its folder as DuckDB names it, or its
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

// write writes the rows of the given partitions, nil for all, to a file or,
// when the item is partitioned, into a folder.
func (i *item) write(ctx context.Context, path string, partitions []string) error {
	where := ""
	if partitions != nil {
		where = fmt.Sprintf(" WHERE %s IN (%s)", i.partition(), strings.Join(quoteAll(partitions), ", "))
	}
	if err := i.copy(ctx, path, where); err != nil {
		return fmt.Errorf("%s: %w", i.name, err)
	}
	return nil
}

func quoteAll(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = sqltext.Literal(text)
	}
	return list
}

// fingerprint tells what each partition of an item holds. Rows are told by the
// sum of their hashes: it notices whatever changes in any column, and needs no
// order.
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
		it.keys = nil // a file without rows tells readers the columns; a folder without files, nothing
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

// items are what the options ask for.
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

// tables are those to export.
func (o *Options) tables() (list []exportTable) {
	for _, v := range tables.Views() {
		// What counts all rows is no part of an export of some.
		isPlain := !strings.HasPrefix(v.Name, tables.WithCopies) && (v.Name != "projects" || o.isOfAll())
		if slices.Contains(o.Tables, v.Name) || len(o.Tables) == 0 && isPlain {
			list = append(list, exportTable{Table: v, name: itemOf(v.Name), from: engine.StoredView(v)})
		}
	}
	return list
}

// isOfAll says that no row is left out.
func (o *Options) isOfAll() bool {
	return len(o.Agents) == 0 && o.Project+o.Since.Text+o.Until.Text == ""
}

// itemOf is the item that holds what users call by a name.
func itemOf(name string) string { return strings.ReplaceAll(name, ".", "/") }

// exportTable is a table that is exported.
type exportTable struct {
	*tables.Table
	name string // of its file or folder, slash-separated
	from string // SQL of where its rows stand
}

// zone is the time zone of the session, in which days begin.
func (e *exporting) zone(ctx context.Context) (zone string, err error) {
	err = e.reading.Each(ctx, "SELECT current_setting('TimeZone')", func(scan func(...any) error) error { return scan(&zone) })
	return zone, err
}
