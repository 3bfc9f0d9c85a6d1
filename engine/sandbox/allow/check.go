// Package allow checks SQL of other people before it runs: queries pass if every
// table and function they name is on a list.
//
// In: a statement as DuckDB's parser took it apart, as json_serialize_sql gives
// it, and the names of the tables and functions that are there. Out: nil, or a
// [*Refused]. What the package doesn't know it refuses: a DuckDB that has a new
// function, or a new kind of expression, has to be looked at first.
//
// The types of statements are not enough: FROM enable_logging(…) and FROM
// force_checkpoint() are queries too.
package allow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Names are what a statement may name beside DuckDB's own functions, in small
// letters.
type Names struct {
	Tables    map[string]bool // with their schema where that isn't main: messages, with_copies.messages
	Functions map[string]bool
}

// Refused is the error of a statement that may not run.
type Refused struct {
	What string // a function, a table, or a statement
	Why  string
	Hint string // what to write in its place; may be empty
}

// Error says what, why, and what to do.
func (r *Refused) Error() string {
	text := "safe: " + r.What + ": " + r.Why
	if r.Hint != "" {
		text += "; " + r.Hint
	}
	return text
}

// parsed is an answer of json_serialize_sql.
type parsed struct {
	Error      bool             `json:"error"`
	Type       string           `json:"error_type"`
	Message    string           `json:"error_message"`
	Position   string           `json:"position"` // in bytes from the statement's beginning; empty when unknown
	Statements []map[string]any `json:"statements"`
}

// NotParsed is the error of a statement that DuckDB's parser doesn't take.
type NotParsed struct {
	Message  string
	Position string // in bytes from the beginning; empty when DuckDB names none
}

// Error is DuckDB's.
func (n *NotParsed) Error() string { return n.Message }

// Check says whether a statement may run, which DuckDB's json_serialize_sql took
// apart. The error is a [*Refused], or a [*NotParsed].
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

// finite gives a tree with numbers for the words Infinity and NaN, which DuckDB
// writes outside of strings, as of 1e309, and which JSON lacks. The number is too
// large for each function whose arguments have a bound.
func finite(tree []byte) []byte {
	if !bytes.Contains(tree, []byte("Infinity")) && !bytes.Contains(tree, []byte("NaN")) {
		return tree
	}
	return jsonParts.ReplaceAllFunc(tree, func(part []byte) []byte {
		if part[0] == '"' {
			return part
		}
		return []byte("1e308")
	})
}

// jsonParts matches whole strings, so that the words are found outside of these.
var jsonParts = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b(?:Infinity|NaN)\b`)

// ctes are the names that WITH gave to queries, the innermost first.
type ctes struct {
	name      string
	recursive bool // this is the recursive part of the query of that name
	next      *ctes
}

// has says whether DuckDB's binder finds such a query where a statement names a
// table. In the schema recurring are those whose recursive part this is, with
// all rows so far. The binder asks for no database.
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
