package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/result"
)

// loss says why a DuckDB type loses content on its way.
type loss uint8

const (
	inArrow  loss = 1 << iota // Arrow lacks the type, or holds less
	inDriver                  // duckdb-go refuses the type, or decodes it with loss
	asKey                     // duckdb-go panics when comparing two map keys of the type
)

// losses lists DuckDB's types without inner types. Other types, for example a user's,
// are never cast.
var losses = map[string]loss{
	"BOOLEAN": 0, "TINYINT": 0, "SMALLINT": 0, "INTEGER": 0, "BIGINT": 0, "UTINYINT": 0, "USMALLINT": 0, "UINTEGER": 0, "UBIGINT": 0,
	"FLOAT": 0, "DOUBLE": 0, "DECIMAL": 0, "VARCHAR": 0, "DATE": 0, "TIME": 0, `"NULL"`: 0,
	"TIMESTAMP": 0, "TIMESTAMP_S": 0, "TIMESTAMP_MS": 0, "TIMESTAMP_NS": 0, "TIMESTAMP WITH TIME ZONE": 0,
	"BLOB":                asKey,
	"GEOMETRY":            asKey,
	"UUID":                asKey,
	"HUGEINT":             inArrow, // a decimal
	"UHUGEINT":            inArrow, // a decimal, which turns the greatest value into -1
	"BIGNUM":              inArrow, // bytes
	"BIT":                 inArrow | asKey,
	"INTERVAL":            inArrow,  // Arrow counts nanoseconds, and 64 bits hold too few
	"TIME WITH TIME ZONE": inArrow,  // without the zone
	"ENUM":                inArrow,  // a dictionary, whole with each batch
	"JSON":                inDriver, // the order of keys, and digits of numbers
	"TIME_NS":             inDriver,
	"VARIANT":             inArrow | inDriver,
	"TYPE":                inArrow | inDriver,
}

// Cast returns SQL that sends a column's value through Arrow: expr, or a cast of expr.
// [Cells] then gives the same value as a plain session. duckType is the type's name
// from DESCRIBE.
func Cast(expr, duckType string) string { return cast(expr, duckType, inArrow|inDriver) }

// CastForArrow casts values to text if Arrow can't carry them, also inside other types.
// A NULL in place of a UNION becomes a UNION of a NULL.
func CastForArrow(expr, duckType string) string { return cast(expr, duckType, inArrow) }

// CastForDriver casts values to text if duckdb-go refuses them or decodes them with
// loss: the whole value if it contains JSON, a struct without names, or a type newer
// than the driver, and map keys that Go can't compare.
func CastForDriver(expr, duckType string) string { return cast(expr, duckType, inDriver) }

// CastFromArrow returns SQL that restores a column's type after [CastForArrow] and
// Arrow. JSON, ENUM and types that Arrow lacks stay texts.
func CastFromArrow(expr, duckType string) string {
	t := parseType(duckType)
	if t == nil || t.any(func(t *shape) bool { _, known := losses[t.base]; return !known && len(t.inner) == 0 }) {
		return expr
	}
	return "CAST(" + expr + " AS " + t.restored().sql() + ")"
}

func (t *shape) restored() *shape {
	switch {
	case t.isNameless(), t.base == "ENUM", t.base == "BIGNUM", t.base != "TIME_NS" && losses[t.base]&inDriver != 0:
		return text
	case t.base == "GEOMETRY":
		return &shape{base: t.base}
	}
	return t.replaceInner((*shape).restored)
}

// replaceInner returns the type with its inner types replaced.
func (t *shape) replaceInner(by func(*shape) *shape) *shape {
	to := *t
	to.inner = nil
	for _, in := range t.inner {
		to.inner = append(to.inner, by(in))
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
		to = t.castFor(way).sql()
	}
	if to == t.sql() {
		return expr
	}
	return "CAST(" + expr + " AS " + to + ")"
}

var text = &shape{base: "VARCHAR"}

// isText reports whether a plain session returns the type's values as text written by
// DuckDB.
func (t *shape) isText() bool {
	return t.isNameless() || losses[t.base]&inDriver != 0 || slices.ContainsFunc(t.inner, (*shape).isText)
}

// isNameless reports whether the type is a STRUCT without field names. SQL can't cast
// to such a type.
func (t *shape) isNameless() bool { return t.base == structType && len(t.names) == 0 }

// isKey reports whether Go can compare values of the type.
func (t *shape) isKey() bool { return len(t.inner) == 0 && losses[t.base]&asKey == 0 }

// castFor returns the type to which a value is cast for Arrow (inArrow), for duckdb-go
// (inDriver) or for both. Arrow has no NULL in place of a UNION: DuckDB sends a UNION
// whose first member is NULL. If way is both, the session must tell the two apart, so
// castFor adds an unused first member, which stands for NULL.
func (t *shape) castFor(way loss) *shape {
	switch {
	case t.isNameless(), losses[t.base]&way&inArrow != 0:
		return text
	case t.base == "GEOMETRY":
		return &shape{base: t.base} // DuckDB 1.5.5 fails with an internal error if Arrow gets a coordinate system
	}
	to := *t
	to.inner = nil
	if t.base == unionType && way == inArrow|inDriver {
		to.names, to.inner = append([]string{t.unusedName()}, t.names...), append(to.inner, &shape{base: "BOOLEAN"})
	}
	for i, in := range t.inner {
		if in = in.castFor(way); t.base == mapType && i == 0 && way&inDriver != 0 && !t.inner[0].isKey() {
			in = text
		}
		to.inner = append(to.inner, in)
	}
	return &to
}

// unusedName returns a name that no member of the union has.
func (t *shape) unusedName() string {
	name := "null"
	for slices.ContainsFunc(t.names, func(n string) bool { return strings.EqualFold(n, name) }) {
		name += "_"
	}
	return name
}

// DriverName converts a type's name from DESCRIBE into duckdb-go's form: TIMESTAMPTZ,
// ENUM without its values, each field's name in quotes.
func DriverName(duckType string) string {
	t := parseType(duckType)
	if t == nil {
		return duckType
	}
	return t.driverShape().sql()
}

func (t *shape) driverShape() *shape {
	to := t.replaceInner((*shape).driverShape)
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
	return to
}

// IsUnreadable reports whether duckdb-go can't read values of a type, or panics.
// driverType is duckdb-go's name. Such results remain without a cast, because hindsql
// can't cast the results of statements other than queries.
func IsUnreadable(driverType string) bool {
	t := parseType(driverType)
	return t == nil || t.any(func(t *shape) bool {
		return t.base == mapType && !t.inner[0].isKey() || t.base == structType && slices.Contains(t.names, "") ||
			t.base == "INVALID" || losses[t.base]&inDriver != 0 && t.base != "JSON"
	})
}

// IsLossless reports whether duckdb-go reads all values of a type without loss.
// driverType is duckdb-go's name of the type. The name of a nested type doesn't tell
// which of its inner types are JSON, so no nested type is lossless.
func IsLossless(driverType string) bool {
	switch driverType {
	case "TIMESTAMPTZ", "TIMETZ", "SQLNULL":
		return true
	}
	t := parseType(driverType)
	if t == nil || len(t.inner) > 0 {
		return false
	}
	loss, known := losses[t.base]
	return known && loss&inDriver == 0
}

// CastColumns returns a query that casts columns of the given query. If no column needs
// a cast, it returns the given query.
func CastColumns(query string, columns []result.Column, cast func(name, duckType string) string) string {
	for i, c := range columns {
		if name := fmt.Sprintf("c%d", i); cast(name, c.Type) != name {
			return SelectColumns(query, columns, cast)
		}
	}
	return query
}

// SelectColumns returns a query of the columns of another query, named c0, c1 ….
func SelectColumns(query string, columns []result.Column, cast func(name, duckType string) string) string {
	names, list := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("c%d", i)
		list[i] = cast(names[i], c.Type)
	}
	return fmt.Sprintf("SELECT %s FROM (%s\n) AS t(%s)", strings.Join(list, ", "), query, strings.Join(names, ", "))
}
