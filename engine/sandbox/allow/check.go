// Package allow checks other people's SQL before it runs. A query passes if every table
// and function in the query is on a list.
//
// In: a statement as parsed by DuckDB's json_serialize_sql, and the names of the
// existing tables and functions. Out: nil, or a [*Refused]. The package refuses
// everything unknown: a new function or kind of expression in a newer DuckDB must be
// examined first.
//
// A check of statement types wouldn't be enough: FROM enable_logging(…) and FROM
// force_checkpoint() are queries, too.
package allow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"hindsql/internal/pattern"
)

// Names are the names that a statement may use besides DuckDB's own functions, in lower
// case.
type Names struct {
	Tables    map[string]bool // with the schema unless main: messages, with_copies.messages
	Functions map[string]bool
}

// Refused is the error of a forbidden statement.
type Refused struct {
	What string // a function, a table, or a statement
	Why  string
	Hint string // what to write instead; may be empty
}

// Error names the refused part, the reason and the hint.
func (r *Refused) Error() string {
	text := "safe: " + r.What + ": " + r.Why
	if r.Hint != "" {
		text += "; " + r.Hint
	}
	return text
}

// parsed is a result of json_serialize_sql.
type parsed struct {
	Error      bool             `json:"error"`
	Type       string           `json:"error_type"`
	Message    string           `json:"error_message"`
	Position   string           `json:"position"` // in bytes from the statement's beginning; empty if unknown
	Statements []map[string]any `json:"statements"`
}

// NotParsed is the error of a statement that DuckDB's parser rejects.
type NotParsed struct {
	Message  string
	Position string // in bytes from the beginning; empty if unknown
}

// Misspelt is the error of a table that isn't here, if a table with a similar name is.
type Misspelt struct {
	Table    string // as written
	Alike    string // the most similar name
	Position string // in bytes from the statement's beginning; empty if unknown
}

// Error returns DuckDB's message for a missing table.
func (m *Misspelt) Error() string {
	return fmt.Sprintf("Table with name %s does not exist!", m.Table)
}

// Error returns DuckDB's message.
func (n *NotParsed) Error() string { return n.Message }

// Check checks whether a statement may run. tree is the statement as parsed by DuckDB's
// json_serialize_sql. The error is a [*Refused], a [*Misspelt] or a [*NotParsed].
func Check(tree []byte, names Names) error {
	var p parsed
	if err := json.Unmarshal(finite(tree), &p); err != nil {
		return fmt.Errorf("safe: a statement that DuckDB took apart: %w", err)
	}
	switch {
	case p.Error && strings.Contains(p.Message, "Only SELECT statements"):
		return &Refused{What: "this statement", Why: "only queries run here", Hint: "a PIVOT names its values: PIVOT … ON column IN (…)"}
	case p.Error:
		return &NotParsed{p.Message, p.Position}
	case len(p.Statements) != 1:
		return &Refused{What: "this text", Why: "it is more than one statement"}
	}
	c := checker{names}
	return c.walk(p.Statements[0], nil)
}

// finite replaces Infinity and NaN in a tree by a number. DuckDB writes both words
// outside of strings, for example for 1e309, but JSON lacks them. The number is too
// large for every function with bounded arguments.
func finite(tree []byte) []byte {
	if !bytes.Contains(tree, []byte("Infinity")) && !bytes.Contains(tree, []byte("NaN")) {
		return tree
	}
	return jsonParts.Regexp().ReplaceAllFunc(tree, func(part []byte) []byte {
		if part[0] == '"' {
			return part
		}
		return []byte("1e308")
	})
}

// jsonParts matches whole strings, or the words outside of strings.
var jsonParts = pattern.Lazy(`"(?:[^"\\]|\\.)*"|\b(?:Infinity|NaN)\b`)

// ctes are the queries named by WITH, the innermost first.
type ctes struct {
	name      string
	recursive bool // inside the recursive part of the query
	next      *ctes
}

// has reports whether DuckDB's binder would find a WITH query for a table name. The
// binder finds recurring.NAME, which has all rows so far, only inside the recursive
// part of the query NAME. The binder ignores a database name.
func (c *ctes) has(schema, name string) bool {
	for ; c != nil; c = c.next {
		if c.name == name && (schema == "" || schema == "recurring" && c.recursive) {
			return true
		}
	}
	return false
}

func (c *ctes) with(name any) *ctes { return &ctes{lower(name), false, c} }

func (c *ctes) within(name any) *ctes { return &ctes{lower(name), true, c} }
