package tables

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Row is a row read from a batch: values by column name, without nulls. A value is a
// string (VARCHAR and JSON), an int64 (BIGINT and INTEGER), a float64, a bool, a
// time.Time in UTC, an []int64 (INTEGER[]), a []string (VARCHAR[]), or a []Row (a list
// of structs).
type Row map[string]any

// Rows finishes the rows of a loaded table and returns them in the order of appending.
// Rows is for tests and for a handful of rows, because each row is a map.
func (b *Batch) Rows(t *Table) []Row {
	var rows []Row
	for _, record := range b.Records(t) {
		for i := range int(record.NumRows()) {
			row := Row{}
			for c, column := range t.Columns {
				if values := record.Column(c); !values.IsNull(i) {
					row[column.Name] = cell(values, i)
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func cell(values arrow.Array, i int) any {
	switch v := values.(type) {
	case *array.String:
		return v.Value(i)
	case *array.Int64:
		return v.Value(i)
	case *array.Int32:
		return int64(v.Value(i))
	case *array.Float64:
		return v.Value(i)
	case *array.Boolean:
		return v.Value(i)
	case *array.Timestamp:
		return v.Value(i).ToTime(arrow.Microsecond)
	case *array.Struct:
		return fieldsOf(v, i)
	case *array.List:
		from, to := v.ValueOffsets(i)
		if texts, ok := v.ListValues().(*array.String); ok {
			list := make([]string, 0, to-from)
			for at := from; at < to; at++ {
				list = append(list, texts.Value(int(at)))
			}
			return list
		}
		if structs, ok := v.ListValues().(*array.Struct); ok {
			list := make([]Row, 0, to-from)
			for at := from; at < to; at++ {
				list = append(list, fieldsOf(structs, int(at)))
			}
			return list
		}
		list := make([]int64, 0, to-from)
		for _, n := range v.ListValues().(*array.Int32).Int32Values()[from:to] {
			list = append(list, int64(n))
		}
		return list
	}
	panic("tables: no Go value for Arrow's " + values.DataType().String())
}

// fieldsOf returns a struct's fields by name, without nulls.
func fieldsOf(structs *array.Struct, i int) Row {
	row := Row{}
	for f, field := range structs.DataType().(*arrow.StructType).Fields() {
		if values := structs.Field(f); !values.IsNull(i) {
			row[field.Name] = cell(values, i)
		}
	}
	return row
}
