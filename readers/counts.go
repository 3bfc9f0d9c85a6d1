package readers

import (
	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Count returns the whole number under the keys, for an event's count. The result is
// missing if the key is absent or null. A value that isn't a number, or is too large
// for an int64, becomes [tables.NotACount]. The rows turn NotACount, and numbers too
// large to be true, into problems.
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

// CountOf returns n*unit rounded to a whole number, or [tables.NotACount] if the
// product is negative or too large for any count.
func CountOf(n, unit float64) tables.Maybe[int64] {
	if n *= unit; n >= 0 && n <= 2*tables.MostCounted {
		return tables.Some(int64(n + 0.5))
	}
	return tables.Some[int64](tables.NotACount) // NaN too
}
