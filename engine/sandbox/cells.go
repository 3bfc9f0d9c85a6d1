package sandbox

import (
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"

	"hindsql/internal/result"
)

// Cells converts rows from Arrow into the values that duckdb-go returns through
// database/sql in a plain session.
type Cells struct {
	columns []result.Column
	types   []*shape // nil for an unknown type name
	zone    *time.Location
}

// NewCells returns the Cells of a result. [Cast] was applied to its columns. zone is
// the session's time zone.
func NewCells(columns []result.Column, zone *time.Location) *Cells {
	c := &Cells{columns: columns, zone: zone}
	for _, column := range columns {
		t := parseType(column.Type)
		if t != nil && t.isText() {
			t = text
		}
		c.types = append(c.types, t)
	}
	return c
}

// Rows are the values of a batch.
type Rows struct{ columns []cell }

// cell returns a column's value in a row. It returns an error if a text isn't a value
// of the type.
type cell func(row int) (any, error)

// Of returns the rows of a batch, which must have the result's columns.
func (c *Cells) Of(batch arrow.RecordBatch) (*Rows, error) {
	if int(batch.NumCols()) != len(c.columns) {
		return nil, fmt.Errorf("a result of %d columns came with %d", len(c.columns), batch.NumCols())
	}
	rows := &Rows{}
	for i, column := range batch.Columns() {
		read, err := cellOf(c.types[i], column)
		if err != nil {
			return nil, fmt.Errorf("column %q of type %s: %w", c.columns[i].Name, c.columns[i].Type, err)
		}
		if t := c.types[i]; t != nil && (t.base == "TIMESTAMP WITH TIME ZONE" || t.base == "TIMESTAMPTZ") {
			read = inZone(read, c.zone)
		}
		rows.columns = append(rows.columns, read)
	}
	return rows, nil
}

// Read stores a row's values into values, one for each column. It returns an error if
// the row is damaged.
func (r *Rows) Read(row int, values []any) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("a row is damaged: %v", broken)
		}
	}()
	for i, read := range r.columns {
		if values[i], err = read(row); err != nil {
			return err
		}
	}
	for i, v := range values {
		if bit, ok := v.(duckdb.Bit); ok { // a Bit inside another value stays
			values[i] = bit.String()
		}
	}
	return nil
}

func inZone(read cell, zone *time.Location) cell {
	return func(row int) (any, error) {
		v, err := read(row)
		if at, ok := v.(time.Time); ok {
			return at.In(zone), err
		}
		return v, err
	}
}

// cellOf returns the cell that reads values of a type from an array.
func cellOf(t *shape, from arrow.Array) (cell, error) {
	read, err := valueOf(t, from)
	if err != nil || from.NullN() == 0 {
		return read, err
	}
	return func(row int) (any, error) {
		if from.IsNull(row) {
			return nil, nil
		}
		return read(row)
	}, nil
}

func valueOf(t *shape, from arrow.Array) (cell, error) {
	switch {
	case t == nil:
		return leafOf("", from)
	case t.base == listType, t.base == arrayType:
		return listOf(t.inner[0], from)
	case t.base == structType:
		return structOf(t, from)
	case t.base == mapType:
		return mapOf(t, from)
	case t.base == unionType:
		return unionOf(t, from)
	}
	return leafOf(t.base, from)
}

func unknownTypeError(from arrow.Array) error { return fmt.Errorf("it came as %s", from.DataType()) }

func listOf(element *shape, from arrow.Array) (cell, error) {
	l, ok := from.(array.ListLike)
	if !ok {
		return nil, unknownTypeError(from)
	}
	read, err := cellOf(element, l.ListValues())
	return func(row int) (any, error) {
		begin, end := l.ValueOffsets(row)
		return readValues(read, int(begin), int(end))
	}, err
}

func readValues(read cell, begin, end int) (_ any, err error) {
	values := make([]any, end-begin)
	for i := range values {
		if values[i], err = read(begin + i); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func structOf(t *shape, from arrow.Array) (cell, error) {
	s, ok := from.(*array.Struct)
	if !ok || s.NumField() != len(t.inner) || len(t.names) != len(t.inner) {
		return nil, unknownTypeError(from)
	}
	fields := make([]cell, len(t.inner))
	for i, in := range t.inner {
		var err error
		if fields[i], err = cellOf(in, s.Field(i)); err != nil {
			return nil, err
		}
	}
	return func(row int) (any, error) {
		values := make(map[string]any, len(fields))
		for i, read := range fields {
			v, err := read(row)
			if err != nil {
				return nil, err
			}
			values[t.names[i]] = v
		}
		return values, nil
	}, nil
}

// Map is a MAP. duckdb-go's OrderedMap would search all keys for each key.
type Map struct{ keys, values []any }

// Keys returns the map's keys in order.
func (m *Map) Keys() []any { return m.keys }

// Values returns the values in the order of the keys.
func (m *Map) Values() []any { return m.values }

func mapOf(t *shape, from arrow.Array) (cell, error) {
	m, ok := from.(*array.Map)
	if !ok {
		return nil, unknownTypeError(from)
	}
	key := t.inner[0]
	if !key.isKey() {
		key = text
	}
	keys, err := cellOf(key, m.Keys())
	if err != nil {
		return nil, err
	}
	items, err := cellOf(t.inner[1], m.Items())
	return func(row int) (any, error) {
		begin, end := m.ValueOffsets(row)
		var values Map
		for i := int(begin); i < int(end); i++ {
			key, err := keys(i)
			if err != nil {
				return nil, err
			}
			item, err := items(i)
			if err != nil {
				return nil, err
			}
			values.keys, values.values = append(values.keys, key), append(values.values, item)
		}
		return values, nil
	}, err
}

// unionOf returns the cell of a UNION. Its first member in Arrow stands for NULL, see
// shape.castFor.
func unionOf(t *shape, from arrow.Array) (cell, error) {
	u, ok := from.(array.Union)
	if !ok || u.NumFields() != len(t.inner)+1 {
		return nil, unknownTypeError(from)
	}
	members := make([]cell, len(t.inner))
	for i, in := range t.inner {
		var err error
		if members[i], err = cellOf(in, u.Field(i+1)); err != nil {
			return nil, err
		}
	}
	sparse := u.Mode() == arrow.SparseMode
	return func(row int) (any, error) {
		member := u.ChildID(row) - 1
		if member < 0 {
			return nil, nil
		}
		if !sparse {
			row = int(u.(*array.DenseUnion).ValueOffset(row))
		}
		v, err := members[member](row)
		return duckdb.Union{Tag: t.names[member], Value: v}, err
	}, nil
}
