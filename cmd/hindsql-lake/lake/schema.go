package lake

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// plainName matches names of tables and columns that need no quotes, unless the name is
// a keyword of an engine.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,127}$`)

// union merges two column lists. BIGINT and INTEGER give BIGINT, to read files with
// either type. VARCHAR and JSON give the first list's type. Any other difference of
// types is an error. Comments of the first list take precedence.
func union(have, more []landing.Column) ([]landing.Column, error) {
	all := slices.Clone(have)
	for _, c := range more {
		if !plainName.MatchString(c.Name) {
			return nil, fmt.Errorf("column %q: no name of a column", c.Name)
		}
		if _, err := typeOf(c.Type, 0); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		i := slices.IndexFunc(all, func(h landing.Column) bool { return h.Name == c.Name })
		if i < 0 {
			all = append(all, c)
			continue
		}
		typ, err := wider(all[i].Type, c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		all[i].Type = typ
	}
	return all, nil
}

// wider returns the type for values of both types.
func wider(a, b string) (string, error) {
	text := func(t string) bool { return t == "VARCHAR" || t == "JSON" }
	number := func(t string) bool { return t == "BIGINT" || t == "INTEGER" }
	switch {
	case a == b, text(a) && text(b):
		return a, nil
	case number(a) && number(b):
		return "BIGINT", nil
	}
	return "", fmt.Errorf("is %s, and %s in the lake; update hindsql on that machine, or the committer", b, a)
}

// typeOf returns the Iceberg type for a DuckDB type. element is the element id of a
// list.
func typeOf(duck string, element int) (iceberg.Type, error) {
	simple := map[string]iceberg.Type{
		"VARCHAR": iceberg.PrimitiveTypes.String, "JSON": iceberg.PrimitiveTypes.String,
		"BIGINT": iceberg.PrimitiveTypes.Int64, "INTEGER": iceberg.PrimitiveTypes.Int32,
		"DOUBLE": iceberg.PrimitiveTypes.Float64, "BOOLEAN": iceberg.PrimitiveTypes.Bool,
		"TIMESTAMPTZ": iceberg.PrimitiveTypes.TimestampTz,
	}
	switch duck {
	case "INTEGER[]":
		return &iceberg.ListType{ElementID: element, Element: simple["INTEGER"]}, nil
	case "VARCHAR[]":
		return &iceberg.ListType{ElementID: element, Element: simple["VARCHAR"]}, nil
	}
	if t := simple[duck]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("type %s: none that a table of the lake has; update the committer", duck)
}

// duckOf returns the DuckDB type of a lake's column; empty for types that hindsql
// doesn't use.
func duckOf(t iceberg.Type) string {
	for _, duck := range []string{"VARCHAR", "BIGINT", "INTEGER", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ"} {
		if own, _ := typeOf(duck, 0); own.Equals(t) {
			return duck
		}
	}
	if l, ok := t.(*iceberg.ListType); ok && (duckOf(l.Element) == "VARCHAR" || duckOf(l.Element) == "INTEGER") {
		return duckOf(l.Element) + "[]"
	}
	return ""
}

// columnsOf returns a table's columns. Columns of types unknown to hindsql are omitted:
// another program added them.
func columnsOf(t *table.Table) (list []landing.Column) {
	for _, f := range t.Schema().Fields() {
		if typ := duckOf(f.Type); typ != "" {
			list = append(list, landing.Column{Name: f.Name, Type: typ, Doc: f.Doc})
		}
	}
	return list
}

// schemaOf builds a new table's schema. Every column is nullable, and ids count from 1.
func schemaOf(columns []landing.Column) (*iceberg.Schema, error) {
	var fields []iceberg.NestedField
	for i, c := range columns {
		t, err := typeOf(c.Type, len(columns)+i+1)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: c.Name, Type: t, Doc: c.Doc})
	}
	return iceberg.NewSchema(0, fields...), nil
}

// grow adds missing columns to the table's schema and widens types. It drops no column.
// In older files an added column reads as null.
func grow(tx *table.Transaction, t *table.Table, columns []landing.Column) error {
	update := tx.UpdateSchema(true, false)
	changed := false
	for _, c := range columns {
		f, there := t.Schema().FindFieldByName(c.Name)
		if !there {
			typ, err := typeOf(c.Type, 0)
			if err != nil {
				return err
			}
			update, changed = update.AddColumn([]string{c.Name}, typ, c.Doc, false, nil), true
			continue
		}
		var to table.ColumnUpdate
		if c.Type == "BIGINT" && f.Type.Equals(iceberg.PrimitiveTypes.Int32) {
			to.FieldType = iceberg.Optional[iceberg.Type]{Val: iceberg.PrimitiveTypes.Int64, Valid: true}
		}
		if c.Doc != "" && c.Doc != f.Doc {
			to.Doc = iceberg.Optional[string]{Val: c.Doc, Valid: true}
		}
		if to.FieldType.Valid || to.Doc.Valid {
			update, changed = update.UpdateColumn([]string{c.Name}, to), true
		}
	}
	if !changed {
		return nil
	}
	return update.Commit()
}

// mapping returns the property that maps a file's columns to the table's by name,
// because hindsql's files have names but no ids.
func mapping(schema *iceberg.Schema) (string, error) {
	text, err := json.Marshal(schema.NameMapping())
	return string(text), err
}
