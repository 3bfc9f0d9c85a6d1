package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/sqltext"
)

// replaceTexts returns SQL that replaces each text of a value by f of the text: a VARCHAR or
// JSON, and those in lists and structs, however deep. It returns expr if a value of the
// type has no text, or may have texts elsewhere: in a MAP, UNION, ENUM or BLOB.
// duckType is the type's name from DESCRIBE.
func replaceTexts(expr, duckType string, f func(expr string, isJSON bool) string) string {
	t := parseType(duckType)
	if t == nil || t.any((*shape).hidesText) {
		return expr
	}
	return t.eachText(expr, 0, f)
}

// textless lists types whose values have no texts. Others may have some.
var textless = strings.Fields("BOOLEAN TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT HUGEINT UHUGEINT FLOAT DOUBLE DECIMAL DATE TIME TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS INTERVAL UUID")

// hidesText reports whether a value may have texts that eachText doesn't find.
func (t *shape) hidesText() bool {
	switch {
	case t.base == "VARCHAR", t.base == "JSON", t.base == list, t.base == structure && !t.isNameless(), strings.HasSuffix(t.base, " WITH TIME ZONE"):
		return false
	}
	return !slices.Contains(textless, t.base)
}

// eachText returns expr if the type has no text.
func (t *shape) eachText(expr string, depth int, f func(string, bool) string) string {
	switch t.base {
	case "VARCHAR", "JSON":
		return f(expr, t.base == "JSON")
	case list:
		x := fmt.Sprintf("x%d", depth)
		if each := t.inner[0].eachText(x, depth+1, f); each != x {
			return fmt.Sprintf("list_transform(%s, lambda %s: %s)", expr, x, each)
		}
	case structure:
		changed, fields := false, make([]string, len(t.inner))
		for i, in := range t.inner {
			was := expr + "." + sqltext.Identifier(t.names[i])
			now := in.eachText(was, depth, f)
			changed = changed || now != was
			fields[i] = sqltext.Literal(t.names[i]) + ": " + now
		}
		if changed {
			return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN {%s} END", expr, strings.Join(fields, ", "))
		}
	}
	return expr
}

// Redacted returns the SQL of a column with its secrets replaced by the function
// hindsql_redact(text, is_json), also in lists and structs. For a column without text, or with
// texts in a MAP, UNION or ENUM, it returns the name. Column agent joins tables, so a
// value that looks like an agent's name stays.
func Redacted(name, duckType string) string {
	if name == sqltext.Identifier("agent") && duckType == "VARCHAR" {
		return "CASE WHEN regexp_full_match(agent, '[a-z0-9_-]{1,20}') THEN agent ELSE hindsql_redact(agent, false) END"
	}
	return replaceTexts(name, duckType, func(text string, isJSON bool) string {
		if isJSON {
			return fmt.Sprintf("CAST(hindsql_redact(CAST(%s AS VARCHAR), true) AS JSON)", text)
		}
		return fmt.Sprintf("hindsql_redact(%s, false)", text)
	})
}
