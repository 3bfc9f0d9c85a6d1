package sandbox

import (
	"slices"
	"strings"
)

// loss is what a type of DuckDB's loses on its way.
type loss uint8

const (
	inArrow  loss = 1 << iota // Arrow has no such type, or one that holds less
	inDriver                  // duckdb-go refuses it, or decodes it with loss
	asKey                     // duckdb-go can't compare two, and panics where two are keys of a map
)

// losses are DuckDB's types but for those that hold others. What isn't listed
// has a name of its own, such as a user's: it goes as it is.
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
	"INTERVAL":            inArrow,  // its microseconds would be nanoseconds, for which there aren't bits enough
	"TIME WITH TIME ZONE": inArrow,  // without its zone
	"ENUM":                inArrow,  // a dictionary, whole with each batch
	"JSON":                inDriver, // the order of keys, and digits of numbers
	"TIME_NS":             inDriver,
	"VARIANT":             inArrow | inDriver,
	"TYPE":                inArrow | inDriver,
}

// IsText says that a plain session gives values of the type as DuckDB writes
// them, because duckdb-go would refuse them or lose something: JSON, structs
// without names, what is newer than the driver, maps whose keys Go can't compare.
func IsText(duckType string) bool {
	t := parseType(duckType)
	return t != nil && t.isText()
}

func (t *shape) isText() bool {
	return t.any(func(t *shape) bool {
		switch t.base {
		case structure:
			return len(t.names) == 0
		case mapping:
			key := t.inner[0]
			return len(key.inner) > 0 || losses[key.base]&asKey != 0
		}
		return losses[t.base]&inDriver != 0
	})
}

// Cast is SQL that sends a column's value through Arrow so that [Cells] gives
// what a plain session does: expr, or a cast of it. The type's name is that
// which DESCRIBE gives.
func Cast(expr, duckType string) string {
	if IsText(duckType) {
		return "CAST(" + expr + " AS VARCHAR)"
	}
	return cast(expr, duckType, true)
}

// CastLost is SQL that has what Arrow can't carry as text, also inside other
// types. A struct without names goes as a text, as no SQL names its type. A NULL
// in place of a UNION becomes one of a NULL.
func CastLost(expr, duckType string) string { return cast(expr, duckType, false) }

func cast(expr, duckType string, nullUnions bool) string {
	t := parseType(duckType)
	if t == nil {
		return expr
	}
	from, to := t.sql(), t.carried(nullUnions).sql()
	if from == to {
		return expr
	}
	return "CAST(" + expr + " AS " + to + ")"
}

var text = &shape{base: "VARCHAR"}

// carried is the type that Arrow gets. Arrow has no NULL in place of a UNION,
// and DuckDB sends one of the first member's instead: with nullUnions a member
// that no value has stands first.
func (t *shape) carried(nullUnions bool) *shape {
	switch {
	case t.base == structure && len(t.names) == 0, losses[t.base]&inArrow != 0:
		return text
	case t.base == "GEOMETRY":
		return &shape{base: t.base} // DuckDB 1.5.5 ends in an internal error where a coordinate system is named
	}
	to := *t
	to.inner = nil
	if t.base == union && nullUnions {
		to.names, to.inner = append([]string{t.absent()}, t.names...), append(to.inner, &shape{base: "BOOLEAN"})
	}
	for _, in := range t.inner {
		to.inner = append(to.inner, in.carried(nullUnions))
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
