package tables

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Column is what is declared of a column, without how it is got.
type Column struct {
	Name string // works unquoted in DuckDB, as a column of a query; a declaration quotes it
	Type string // DuckDB's name of the type
	Doc  string // one sentence, with unit, and when it is null
}

// column is a Column together with how its value is appended from a row.
type column[R any] struct {
	Column
	put  func(array.Builder, *R) // nil: the column is filled by Links
	long bool                    // its texts are long, see long
}

// long says that a column holds long texts, which zstd stores in a third of
// the space. Others are left to DuckDB, whose own choice for short and equal
// texts is as small, and quicker to write and to read.
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

// text declares a VARCHAR column; an empty string is null.
func text[R any](name, doc string, get func(*R) string) column[R] {
	return column[R]{Column: Column{name, "VARCHAR", doc}, put: func(b array.Builder, r *R) { putText(b, get(r)) }}
}

// object declares a JSON column; an empty string is null.
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

// bigint declares a BIGINT column that is never null.
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

// position declares an INTEGER column of a 0-based index; a negative one is null.
func position[R any](name, doc string, get func(*R) int) column[R] {
	return column[R]{Column: Column{name, "INTEGER", doc}, put: func(b array.Builder, r *R) {
		if v := get(r); v >= 0 {
			b.(*array.Int32Builder).Append(int32(v))
		} else {
			b.AppendNull()
		}
	}}
}

// positions declares an INTEGER[] column; nil is null.
func positions[R any](name, doc string, get func(*R) []int32) column[R] {
	return list(name, "INTEGER[]", doc, get, func(b array.Builder, v int32) { b.(*array.Int32Builder).Append(v) })
}

// texts declares a VARCHAR[] column; nil is null.
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

// boolean declares a BOOLEAN column that is never null.
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

// instant declares a TIMESTAMPTZ column; a zero time is null, and so is one
// outside the years 1 to 9999, which only a damaged log has.
func instant[R any](name, doc string, get func(*R) time.Time) column[R] {
	return column[R]{Column: Column{name, "TIMESTAMPTZ", doc}, put: func(b array.Builder, r *R) {
		if t := get(r); t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
			b.AppendNull()
		} else {
			b.(*array.TimestampBuilder).Append(arrow.Timestamp(t.UnixMicro()))
		}
	}}
}

// linked declares a column that Links fills after a load.
func linked[R any](name, typ, doc string) column[R] {
	return column[R]{Column: Column{name, typ, doc}}
}

// concat puts the columns that several tables share before or after a table's own.
func concat[R any](parts ...[]column[R]) []column[R] {
	var all []column[R]
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
