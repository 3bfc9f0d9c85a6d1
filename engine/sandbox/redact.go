package sandbox

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	case t.base == "VARCHAR", t.base == "JSON", t.base == listType, t.base == structType && !t.isNameless(), strings.HasSuffix(t.base, " WITH TIME ZONE"):
		return false
	}
	return !slices.Contains(textless, t.base)
}

// eachText returns expr if the type has no text.
func (t *shape) eachText(expr string, depth int, f func(string, bool) string) string {
	switch t.base {
	case "VARCHAR", "JSON":
		return f(expr, t.base == "JSON")
	case listType:
		x := fmt.Sprintf("x%d", depth)
		if each := t.inner[0].eachText(x, depth+1, f); each != x {
			return fmt.Sprintf("list_transform(%s, lambda %s: %s)", expr, x, each)
		}
	case structType:
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

// RedactSQL returns the SQL of a column with its secrets replaced by the function
// hindsql_redact(text, is_json), also in lists and structs. For a column without text, or with
// texts in a MAP, UNION or ENUM, it returns the name. Column agent joins tables, so a
// value that looks like an agent's name stays.
func RedactSQL(name, duckType string) string {
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

// CleanTexts has the hashes of texts without secrets. A copying that begins again reads
// these texts, but doesn't redact them again.
type CleanTexts struct{ hashes sync.Map }

type cleanText struct {
	hash   [sha256.Size]byte // by which no text with a secret passes for another
	isJSON bool
}

// shortText is the length in bytes up to which a text isn't worth its hash.
const shortText = 500

// Wrap returns redact, but for texts that are known to be without secrets.
func (c *CleanTexts) Wrap(redact func(text string, isJSON bool) string) func(text string, isJSON bool) string {
	return func(text string, isJSON bool) string {
		if len(text) <= shortText {
			return redact(text, isJSON)
		}
		key := cleanText{sha256.Sum256([]byte(text)), isJSON}
		if _, known := c.hashes.Load(key); known {
			return text
		}
		redacted := redact(text, isJSON)
		if redacted == text {
			c.hashes.Store(key, nil)
		}
		return redacted
	}
}

// Clear forgets all texts.
func (c *CleanTexts) Clear() { c.hashes.Clear() }
