package readers

import (
	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// Count is the whole number under the keys, for an event's count: missing where
// there is none, or null. What is no number, or too large for one, is
// [tables.NotACount], of which the rows make a problem; they also say which
// numbers are too large to be true.
func Count(v *fastjson.Value, keys ...string) tables.Maybe[int64] {
	n := v.Get(keys...)
	if n == nil || n.Type() == fastjson.TypeNull {
		return tables.Maybe[int64]{}
	}
	if i := Int(n); i.OK {
		return i
	}
	return tables.Some[int64](tables.NotACount)
}

// CountOf is a count of so many units, fractions rounded off;
// [tables.NotACount] where that is too large for any.
func CountOf(n, unit float64) tables.Maybe[int64] {
	if n *= unit; n >= 0 && n <= 2*tables.MostCounted {
		return tables.Some(int64(n + 0.5))
	}
	return tables.Some[int64](tables.NotACount) // NaN too
}
