package tables

import (
	"cmp"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// Column is the declaration of a column, without the function for its values.
type Column struct {
	Name string // as a query's column, valid in DuckDB without quotes; DDL quotes it
	Type string // a DuckDB type
	Doc  string // a phrase, with the unit and the meaning of null
}

// column is a Column with a function to append the values of rows. One call for many
// rows costs less than a call for each value.
type column[R any] struct {
	Column
	put  func(vector, []*R) // nil if Links fills the column
	long bool               // true for long texts, see func long
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
	AnswersType: arrow.ListOf(arrow.StructOf(
		arrow.Field{Name: "question", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "options", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		arrow.Field{Name: "picked", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		arrow.Field{Name: "words", Type: arrow.BinaryTypes.String, Nullable: true})),
}

// text declares a VARCHAR column. An empty string becomes null.
func text[R any](name, doc string, get func(*R) string) column[R] {
	return column[R]{Column: Column{name, "VARCHAR", doc}, put: putTexts(get)}
}

// object declares a JSON column. An empty string becomes null.
func object[R any](name, doc string, get func(*R) string) column[R] {
	return column[R]{Column: Column{name, "JSON", doc}, put: putTexts(get)}
}

func putTexts[R any](get func(*R) string) func(vector, []*R) {
	return func(v vector, rows []*R) {
		texts := v.(*textVector)
		for _, r := range rows {
			texts.addMaybe(get(r))
		}
	}
}

// bigint declares a BIGINT column without nulls.
func bigint[R any](name, doc string, get func(*R) int64) column[R] {
	return column[R]{Column: Column{name, "BIGINT", doc}, put: func(v vector, rows []*R) {
		numbers := v.(*fixedVector[int64])
		for _, r := range rows {
			numbers.add(get(r))
		}
	}}
}

// maybeBigint declares a BIGINT column.
func maybeBigint[R any](name, doc string, get func(*R) Maybe[int64]) column[R] {
	return column[R]{Column: Column{name, "BIGINT", doc}, put: putMaybes(get)}
}

// double declares a DOUBLE column.
func double[R any](name, doc string, get func(*R) Maybe[float64]) column[R] {
	return column[R]{Column: Column{name, "DOUBLE", doc}, put: putMaybes(get)}
}

func putMaybes[R any, T int32 | int64 | float64](get func(*R) Maybe[T]) func(vector, []*R) {
	return func(v vector, rows []*R) {
		numbers := v.(*fixedVector[T])
		for _, r := range rows {
			numbers.addMaybe(get(r))
		}
	}
}

// position declares an INTEGER column for a 0-based index. A negative index becomes
// null.
func position[R any](name, doc string, get func(*R) int) column[R] {
	return column[R]{Column: Column{name, "INTEGER", doc}, put: func(v vector, rows []*R) {
		numbers := v.(*fixedVector[int32])
		for _, r := range rows {
			at := get(r)
			numbers.addMaybe(Maybe[int32]{int32(at), at >= 0})
		}
	}}
}

// positions declares an INTEGER[] column. nil becomes null.
func positions[R any](name, doc string, get func(*R) []int32) column[R] {
	return list(name, "INTEGER[]", doc, get, (*fixedVector[int32]).add)
}

// texts declares a VARCHAR[] column. nil becomes null.
func texts[R any](name, doc string, get func(*R) []string) column[R] {
	return list(name, "VARCHAR[]", doc, get, (*textVector).add)
}

// answers declares a column of AnswersType. nil becomes null, and so do empty words.
func answers[R any](name, doc string, get func(*R) []Answer) column[R] {
	return list(name, AnswersType, doc, get, putAnswer)
}

func list[R, E any, V vector](name, typ, doc string, get func(*R) []E, add func(V, E)) column[R] {
	return column[R]{Column: Column{name, typ, doc}, put: func(v vector, rows []*R) {
		for _, r := range rows {
			addList(v, get(r), add)
		}
	}}
}

// boolean declares a BOOLEAN column without nulls.
func boolean[R any](name, doc string, get func(*R) bool) column[R] {
	return column[R]{Column: Column{name, "BOOLEAN", doc}, put: func(v vector, rows []*R) {
		bools := v.(*boolVector)
		for _, r := range rows {
			bools.add(get(r))
		}
	}}
}

// maybeBoolean declares a BOOLEAN column.
func maybeBoolean[R any](name, doc string, get func(*R) Maybe[bool]) column[R] {
	return column[R]{Column: Column{name, "BOOLEAN", doc}, put: func(v vector, rows []*R) {
		bools := v.(*boolVector)
		for _, r := range rows {
			if m := get(r); m.OK {
				bools.add(m.Value)
			} else {
				bools.skip(1)
			}
		}
	}}
}

// instant declares a TIMESTAMPTZ column. A zero time becomes null, as does a time
// outside the years 1 to 9999, found only in damaged logs.
func instant[R any](name, doc string, get func(*R) time.Time) column[R] {
	return column[R]{Column: Column{name, "TIMESTAMPTZ", doc}, put: func(v vector, rows []*R) {
		micros := v.(*fixedVector[int64])
		for _, r := range rows {
			t := get(r)
			micros.addMaybe(Maybe[int64]{t.UnixMicro(), !t.IsZero() && t.Year() >= 1 && t.Year() <= 9999})
		}
	}}
}

// linked declares a column filled by Links after a load.
func linked[R any](name, typ, doc string) column[R] { return column[R]{Column: Column{name, typ, doc}} }

// machineDoc, userDoc and hostDoc are the prose of the origin columns in each table.
const (
	machineDoc = "id of the log's machine, see hindsql machine"
	userDoc    = "name of the log's user; null if unknown or withheld"
	hostDoc    = "name of the log's machine"
)

// machine returns the id of the source's machine, or its name if the id is unknown.
func (s *Source) machine() string { return cmp.Or(s.Machine, s.Host) }

// withOrigin inserts the origin columns (machine, user and host) after a table's own
// columns and before is_copy and source_id.
func withOrigin[R any](of func(*R) *Source, columns []column[R]) []column[R] {
	at := slices.IndexFunc(columns, func(c column[R]) bool { return c.Name == isCopy || c.Name == "source_id" })
	return slices.Insert(columns, at,
		text("machine", machineDoc, func(r *R) string { return of(r).machine() }),
		text("user", userDoc, func(r *R) string { return of(r).User }),
		text("host", hostDoc, func(r *R) string { return of(r).Host }))
}

// IsOrigin reports whether a column is machine, user or host.
func IsOrigin(column string) bool { return column == "machine" || column == "user" || column == "host" }
