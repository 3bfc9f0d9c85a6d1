package lake

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
	"hindsql/tables"
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
		if _, err := typeOf(c.Type, noIDs); err != nil {
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

// typeOf returns the Iceberg type for a DuckDB type. next gives the ids of a list's
// elements and of a struct's fields.
func typeOf(duck string, next func() int) (iceberg.Type, error) {
	simple := map[string]iceberg.Type{
		"VARCHAR": iceberg.PrimitiveTypes.String, "JSON": iceberg.PrimitiveTypes.String,
		"BIGINT": iceberg.PrimitiveTypes.Int64, "INTEGER": iceberg.PrimitiveTypes.Int32,
		"DOUBLE": iceberg.PrimitiveTypes.Float64, "BOOLEAN": iceberg.PrimitiveTypes.Bool,
		"TIMESTAMPTZ": iceberg.PrimitiveTypes.TimestampTz,
	}
	switch duck {
	case "INTEGER[]":
		return &iceberg.ListType{ElementID: next(), Element: simple["INTEGER"]}, nil
	case "VARCHAR[]":
		return &iceberg.ListType{ElementID: next(), Element: simple["VARCHAR"]}, nil
	case tables.AnswersType:
		list := &iceberg.ListType{ElementID: next()}
		var fields []iceberg.NestedField
		for i, inner := range answerTypes {
			t, _ := typeOf(inner, next)
			fields = append(fields, iceberg.NestedField{ID: next(), Name: answerFields[i], Type: t})
		}
		list.Element = &iceberg.StructType{FieldList: fields}
		return list, nil
	}
	if t := simple[duck]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("type %s: none that a table of the lake has; update the committer", duck)
}

// The fields of tables.AnswersType.
var (
	answerFields = []string{"question", "options", "picked", "words"}
	answerTypes  = []string{"VARCHAR", "VARCHAR[]", "VARCHAR[]", "VARCHAR"}
)

// noIDs is for types whose ids don't matter.
func noIDs() int { return 0 }

// duckOf returns the DuckDB type of a lake's column; empty for types that hindsql
// doesn't use.
func duckOf(t iceberg.Type) string {
	for _, duck := range []string{"VARCHAR", "BIGINT", "INTEGER", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ"} {
		if own, _ := typeOf(duck, noIDs); own.Equals(t) {
			return duck
		}
	}
	l, ok := t.(*iceberg.ListType)
	if !ok {
		return ""
	}
	if s, ok := l.Element.(*iceberg.StructType); ok && slices.EqualFunc(s.FieldList, answerFields, func(f iceberg.NestedField, name string) bool {
		return f.Name == name && duckOf(f.Type) == answerTypes[slices.Index(answerFields, name)]
	}) {
		return tables.AnswersType
	}
	if of := duckOf(l.Element); of == "VARCHAR" || of == "INTEGER" {
		return of + "[]"
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
	last := len(columns)
	next := func() int { last++; return last }
	for i, c := range columns {
		t, err := typeOf(c.Type, next)
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
			typ, err := typeOf(c.Type, noIDs)
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
