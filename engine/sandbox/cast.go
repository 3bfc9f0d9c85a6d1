package sandbox

import (
	"slices"
	"strings"
)

// loss is what a type of DuckDB's loses on its way.
type loss uint8

const (
	inArrow  loss = 1 << iota // Arrow lacks the type, or holds less
	inDriver                  // duckdb-go refuses it, or decodes it with loss
	asKey                     // duckdb-go panics where it compares two that are keys of a map
)

// losses lists DuckDB's types without inner types. A type of another name, such
// as a user's, is never cast.
var losses = map[string]loss{
	"BOOLEAN": 0, "TINYINT": 0, "SMALLINT": 0, "INTEGER": 0, "BIGINT": 0, "UTINYINT": 0, "USMALLINT": 0, "UINTEGER": 0, "UBIGINT": 0,
	"FLOAT": 0, "DOUBLE": 0, "DECIMAL": 0, "VARCHAR": 0, "DATE": 0, "TIME": 0, `"NULL"`: 0,
	"TIMESTAMP": 0, "TIMESTAMP_S": 0, "TIMESTAMP_MS": 0, "TIMESTAMP_NS": 0, "TIMESTAMP WITH TIME ZONE": 0,
	"BLOB":                asKey,
	"GEOMETRY":            asKey,
	"UUID":                asKey,
	"HUGEINT":             inArrow, // a decimal
	"UHUGEINT":            inArrow, // a decimal, whose greatest value is -1
	"BIGNUM":              inArrow, // bytes
	"BIT":                 inArrow | asKey,
	"INTERVAL":            inArrow,  // Arrow counts nanoseconds, and 64 bits hold too few of them
	"TIME WITH TIME ZONE": inArrow,  // without its zone
	"ENUM":                inArrow,  // a dictionary, whole with each batch
	"JSON":                inDriver, // the order of keys, and digits of numbers
	"TIME_NS":             inDriver,
	"VARIANT":             inArrow | inDriver,
	"TYPE":                inArrow | inDriver,
}

// Cast is SQL that sends a column's value through Arrow so that [Cells] gives
// what a plain session does: expr, or a cast of it. The type's name is that
// which DESCRIBE gives.
func Cast(expr, duckType string) string { return cast(expr, duckType, inArrow|inDriver) }

// CastForArrow has as text what Arrow can't carry, also inside other types. A NULL
// in place of a UNION becomes a UNION of a NULL.
func CastForArrow(expr, duckType string) string { return cast(expr, duckType, inArrow) }

// CastForDriver has as text what duckdb-go would refuse or decode with loss: the
// whole value where JSON, a struct without names, or what is newer than the
// driver is in it, and keys of maps that Go can't compare.
func CastForDriver(expr, duckType string) string { return cast(expr, duckType, inDriver) }

// CastFromArrow is SQL that gives a column its type again behind Arrow, after
// [CastForArrow]. JSON, ENUM and types that Arrow lacks stay texts.
func CastFromArrow(expr, duckType string) string {
	t := parseType(duckType)
	if t == nil || t.any(func(t *shape) bool { _, known := losses[t.base]; return !known && len(t.inner) == 0 }) {
		return expr
	}
	return "CAST(" + expr + " AS " + t.again().sql() + ")"
}

func (t *shape) again() *shape {
	switch {
	case t.isNameless(), t.base == "ENUM", t.base == "BIGNUM", t.base != "TIME_NS" && losses[t.base]&inDriver != 0:
		return text
	case t.base == "GEOMETRY":
		return &shape{base: t.base}
	}
	to := *t
	to.inner = nil
	for _, in := range t.inner {
		to.inner = append(to.inner, in.again())
	}
	return &to
}

func cast(expr, duckType string, way loss) string {
	t := parseType(duckType)
	if t == nil {
		return expr
	}
	to := text.sql()
	if way&inDriver == 0 || !t.isText() {
		to = t.on(way).sql()
	}
	if to == t.sql() {
		return expr
	}
	return "CAST(" + expr + " AS " + to + ")"
}

var text = &shape{base: "VARCHAR"}

// isText says that a plain session gives the type's values as DuckDB writes them.
func (t *shape) isText() bool {
	return t.isNameless() || losses[t.base]&inDriver != 0 || slices.ContainsFunc(t.inner, (*shape).isText)
}

// isNameless says that the type is a STRUCT whose fields have no names. No SQL
// casts to it.
func (t *shape) isNameless() bool { return t.base == structure && len(t.names) == 0 }

// isKey says that Go compares values of the type.
func (t *shape) isKey() bool { return len(t.inner) == 0 && losses[t.base]&asKey == 0 }

// on is the type that goes one way, or both. Arrow has no NULL in place of a
// UNION, and DuckDB sends one of the first member's instead: where that would be
// seen, a member that no value has stands first.
func (t *shape) on(way loss) *shape {
	switch {
	case t.isNameless(), losses[t.base]&way&inArrow != 0:
		return text
	case t.base == "GEOMETRY":
		return &shape{base: t.base} // DuckDB 1.5.5 ends in an internal error where Arrow gets a coordinate system
	}
	to := *t
	to.inner = nil
	if t.base == union && way == inArrow|inDriver {
		to.names, to.inner = append([]string{t.absent()}, t.names...), append(to.inner, &shape{base: "BOOLEAN"})
	}
	for i, in := range t.inner {
		if in = in.on(way); t.base == mapping && i == 0 && way&inDriver != 0 && !t.inner[0].isKey() {
			in = text
		}
		to.inner = append(to.inner, in)
	}
	return &to
}

// absent is a name that no member of the union has.
func (t *shape) absent() string {
	name := "null"
	for slices.ContainsFunc(t.names, func(n string) bool { return strings.EqualFold(n, name) }) {
		name += "_"
	}
	return name
}

// Name is a type's as duckdb-go says it, whatever DESCRIBE says: TIMESTAMPTZ,
// ENUM without its values, each field's name in quotes.
func Name(duckType string) string {
	t := parseType(duckType)
	if t == nil {
		return duckType
	}
	return t.named().sql()
}

func (t *shape) named() *shape {
	to := *t
	switch t.base {
	case "TIMESTAMP WITH TIME ZONE":
		to.base = "TIMESTAMPTZ"
	case "TIME WITH TIME ZONE":
		to.base = "TIMETZ"
	case `"NULL"`:
		to.base = "SQLNULL"
	case "ENUM", "GEOMETRY":
		to.suffix = ""
	}
	to.inner = nil
	for _, in := range t.inner {
		to.inner = append(to.inner, in.named())
	}
	return &to
}

// Refused says that duckdb-go can't read values of a type, which it names so, or
// panics where it does: no SQL of ours casts what a statement other than a query
// gives.
func Refused(driverType string) bool {
	t := parseType(driverType)
	return t == nil || t.any(func(t *shape) bool {
		return t.base == mapping && !t.inner[0].isKey() || t.base == structure && slices.Contains(t.names, "") ||
			t.base == "INVALID" || losses[t.base]&inDriver != 0 && t.base != "JSON"
	})
}
