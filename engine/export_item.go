package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/tables"
)

// exportItem is a table, or what is exported like one.
type exportItem struct {
	name      string // of its file, without the extension, or of its folder; slash-separated
	extension string
	keys      []string // columns that it is partitioned by; empty: one file
	rows      string   // SELECT of the rows as they stand in the store, for telling whether they changed
	counted   string   // SQL of the number of rows in a partition; empty for all of rows
	options   exportedOptions
	copy      func(ctx context.Context, path, where string) error
}

// partition is the SQL of a row's partition: its folder as DuckDB names it.
func (i *exportItem) partition() string {
	if len(i.keys) == 0 {
		return "''"
	}
	var parts []string
	for _, key := range i.keys {
		parts = append(parts, fmt.Sprintf("'%s=' || coalesce(url_encode(CAST(%s AS VARCHAR)), '__HIVE_DEFAULT_PARTITION__')", key, identifier(key)))
	}
	return strings.Join(parts, " || '/' || ")
}

func (i *exportItem) isPartitioned() bool { return len(i.keys) > 0 }

// write writes the rows of the given partitions, nil for all, to a file or,
// when the item is partitioned, into a folder.
func (i *exportItem) write(ctx context.Context, path string, partitions []string) error {
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
		list[i] = quote(text)
	}
	return list
}

// fingerprint tells what each partition of an item holds. Rows are told by the
// sum of their hashes: it notices whatever changes in any column, and needs no
// order.
func (s *Session) fingerprint(ctx context.Context, item *exportItem) (map[string]*exportedPartition, error) {
	rows, err := s.conn.QueryContext(ctx, fmt.Sprintf(
		"SELECT %s AS p, %s, coalesce(sum(hash(r)::HUGEINT), 0)::VARCHAR FROM (%s) AS r GROUP BY p",
		item.partition(), cmp.Or(item.counted, "count(*)"), item.rows))
	if err != nil {
		return nil, sqlError(ctx, err)
	}
	defer rows.Close()
	found := map[string]*exportedPartition{}
	for rows.Next() {
		var path string
		p := &exportedPartition{}
		if err := rows.Scan(&path, &p.Rows, &p.Hash); err != nil {
			return nil, err
		}
		found[path] = p
	}
	if len(found) == 0 {
		item.keys = nil // a file without rows tells readers the columns; a folder without files, nothing
		found[""] = &exportedPartition{Hash: "0"}
	}
	return found, rows.Err()
}

func rowsIn(partitions map[string]*exportedPartition) (n int64) {
	for _, p := range partitions {
		n += p.Rows
	}
	return n
}

// exportItems are what the options ask for.
func (s *Session) exportItems(ctx context.Context, o ExportOptions) ([]*exportItem, error) {
	switch {
	case o.Format == Unified:
		return []*exportItem{s.unifiedItem(ctx, o)}, nil
	case o.Query != nil:
		item, err := s.queryItem(ctx, o)
		return []*exportItem{item}, err
	}
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	var items []*exportItem
	for _, t := range o.tables() {
		items = append(items, s.tableItem(o, t, zone))
	}
	for _, name := range o.Tables {
		if !slices.ContainsFunc(items, func(i *exportItem) bool { return i.name == itemOf(name) }) {
			return nil, fmt.Errorf("table %q: unknown; `hindsql tables` lists them", name)
		}
	}
	return items, nil
}

func (o *ExportOptions) checkKeys(columns []string, known string) error {
	for _, key := range o.PartitionBy {
		if !slices.Contains(columns, key) {
			return fmt.Errorf("partition by %s: unknown; one may partition by %s", key, known)
		}
	}
	return nil
}

// tables are those to export. A whole export in Parquet is one that import can
// read, and holds for it what links are made from: the internal tables, and the
// copies that the others leave out.
func (o *ExportOptions) tables() (list []exportTable) {
	for _, v := range tables.Views() {
		isPlain := !strings.HasPrefix(v.Name, tables.WithCopies)
		if slices.Contains(o.Tables, v.Name) || len(o.Tables) == 0 && isPlain {
			list = append(list, exportTable{Table: v, name: itemOf(v.Name), from: storedView(v)})
		}
	}
	if len(o.Tables) > 0 || o.Format != Parquet {
		return list
	}
	for _, t := range importedTables() {
		if t.Internal {
			list = append(list, exportTable{Table: t, name: itemName(t), from: storeSchema + "." + t.Name})
		}
		if t.HasCopies() {
			list = append(list, exportTable{Table: t, name: copiesName(t), from: storeSchema + "." + t.Name, copies: true})
		}
	}
	return list
}

// itemOf is the item that holds what users call by a name.
func itemOf(name string) string { return strings.ReplaceAll(name, ".", "/") }

// exportTable is a table that is exported.
type exportTable struct {
	*tables.Table
	name   string // of its file or folder, slash-separated
	from   string // SQL of where its rows stand
	copies bool   // those rows only that are copies
}

// zone is the time zone of the session, in which days begin.
func (s *Session) zone(ctx context.Context) (zone string, err error) {
	err = s.conn.QueryRowContext(ctx, "SELECT current_setting('TimeZone')").Scan(&zone)
	return zone, err
}
