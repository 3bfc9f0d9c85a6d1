package tables

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Column is the declaration of a column, without the function for its values.
type Column struct {
	Name string // as a query's column, valid in DuckDB without quotes; DDL quotes it
	Type string // a DuckDB type
	Doc  string // a phrase, with the unit and the meaning of null
}

// column is a Column with a function to append a row's value.
type column[R any] struct {
	Column
	put  func(array.Builder, *R) // nil if Links fills the column
	long bool                    // true for long texts, see func long
}

// long marks a column as holding long texts, to be stored with zstd in a third of the
// space. For short or equal texts, DuckDB's own compression is as small, and faster to
// write and read.
func long[R any](c column[R]) column[R] {
	c.long = true
	return c
}

var arrowTypes = map[string]arrow.DataType{
	"VARCHAR":     arrow.BinaryTypes.String,
	"JSON":        arrow.BinaryTypes.String,
	"BIGINT":      arrow.PrimitiveTypes.Int64,
	"INTEGER":     arrow.PrimitiveTypes.Int32,
	"DOUBLE":      arrow.PrimitiveTypes.Float64,
	"BOOLEAN":     arrow.FixedWidthTypes.Boolean,
	"TIMESTAMPTZ": &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	"INTEGER[]":   arrow.ListOf(arrow.PrimitiveTypes.Int32),
	"VARCHAR[]":   arrow.ListOf(arrow.BinaryTypes.String),
}

// text declares a VARCHAR column. An empty string becomes null.
func text[R any](name, doc string, get func(*R) string) column[R] {
	return column[R]{Column: Column{name, "VARCHAR", doc}, put: func(b array.Builder, r *R) { putText(b, get(r)) }}
}

// object declares a JSON column. An empty string becomes null.
func object[R any](name, doc string, get func(*R) string) column[R] {
	return column[R]{Column: Column{name, "JSON", doc}, put: func(b array.Builder, r *R) { putText(b, get(r)) }}
}

func putText(b array.Builder, s string) {
	switch {
	case s == "":
		b.AppendNull()
	case utf8.ValidString(s):
		b.(*array.StringBuilder).Append(s)
	default:
		b.(*array.StringBuilder).Append(strings.ToValidUTF8(s, "\uFFFD"))
	}
}

// bigint declares a BIGINT column without nulls.
func bigint[R any](name, doc string, get func(*R) int64) column[R] {
	return column[R]{Column: Column{name, "BIGINT", doc}, put: func(b array.Builder, r *R) { b.(*array.Int64Builder).Append(get(r)) }}
}

// maybeBigint declares a BIGINT column.
func maybeBigint[R any](name, doc string, get func(*R) Maybe[int64]) column[R] {
	return column[R]{Column: Column{name, "BIGINT", doc}, put: func(b array.Builder, r *R) {
		if v := get(r); v.OK {
			b.(*array.Int64Builder).Append(v.Value)
		} else {
			b.AppendNull()
		}
	}}
}

// position declares an INTEGER column for a 0-based index. A negative index becomes
// null.
func position[R any](name, doc string, get func(*R) int) column[R] {
	return column[R]{Column: Column{name, "INTEGER", doc}, put: func(b array.Builder, r *R) {
		if v := get(r); v >= 0 {
			b.(*array.Int32Builder).Append(int32(v))
		} else {
			b.AppendNull()
		}
	}}
}

// positions declares an INTEGER[] column. nil becomes null.
func positions[R any](name, doc string, get func(*R) []int32) column[R] {
	return list(name, "INTEGER[]", doc, get, func(b array.Builder, v int32) { b.(*array.Int32Builder).Append(v) })
}

// texts declares a VARCHAR[] column. nil becomes null.
func texts[R any](name, doc string, get func(*R) []string) column[R] {
	return list(name, "VARCHAR[]", doc, get, func(b array.Builder, v string) {
		b.(*array.StringBuilder).Append(strings.ToValidUTF8(v, "\uFFFD"))
	})
}

func list[R, E any](name, typ, doc string, get func(*R) []E, put func(array.Builder, E)) column[R] {
	return column[R]{Column: Column{name, typ, doc}, put: func(b array.Builder, r *R) {
		v := get(r)
		if v == nil {
			b.AppendNull()
			return
		}
		list := b.(*array.ListBuilder)
		list.Append(true)
		for _, e := range v {
			put(list.ValueBuilder(), e)
		}
	}}
}

// double declares a DOUBLE column.
func double[R any](name, doc string, get func(*R) Maybe[float64]) column[R] {
	return column[R]{Column: Column{name, "DOUBLE", doc}, put: func(b array.Builder, r *R) {
		if v := get(r); v.OK {
			b.(*array.Float64Builder).Append(v.Value)
		} else {
			b.AppendNull()
		}
	}}
}

// boolean declares a BOOLEAN column without nulls.
func boolean[R any](name, doc string, get func(*R) bool) column[R] {
	return column[R]{Column: Column{name, "BOOLEAN", doc}, put: func(b array.Builder, r *R) { b.(*array.BooleanBuilder).Append(get(r)) }}
}

// maybeBoolean declares a BOOLEAN column.
func maybeBoolean[R any](name, doc string, get func(*R) Maybe[bool]) column[R] {
	return column[R]{Column: Column{name, "BOOLEAN", doc}, put: func(b array.Builder, r *R) {
		if v := get(r); v.OK {
			b.(*array.BooleanBuilder).Append(v.Value)
		} else {
			b.AppendNull()
		}
	}}
}

// instant declares a TIMESTAMPTZ column. A zero time becomes null, as does a time
// outside the years 1 to 9999, found only in damaged logs.
func instant[R any](name, doc string, get func(*R) time.Time) column[R] {
	return column[R]{Column: Column{name, "TIMESTAMPTZ", doc}, put: func(b array.Builder, r *R) {
		if t := get(r); t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
			b.AppendNull()
		} else {
			b.(*array.TimestampBuilder).Append(arrow.Timestamp(t.UnixMicro()))
		}
	}}
}

// linked declares a column filled by Links after a load.
func linked[R any](name, typ, doc string) column[R] {
	return column[R]{Column: Column{name, typ, doc}}
}

// concat joins lists of columns: a table's own, and lists shared with other tables.
func concat[R any](parts ...[]column[R]) []column[R] {
	var all []column[R]
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
