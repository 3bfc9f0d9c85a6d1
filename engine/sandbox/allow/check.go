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
	"maps"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/pattern"
	"hindsql/internal/suggest"
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
func (m *Misspelt) Error() string { return fmt.Sprintf("Table with name %s does not exist!", m.Table) }

// Error returns DuckDB's message.
func (n *NotParsed) Error() string { return n.Message }

// Check checks whether a statement may run. tree is the statement as parsed by DuckDB's
// json_serialize_sql. The error is a [*Refused], a [*Misspelt] or a [*NotParsed].
func Check(tree []byte, names Names) error {
	var p parsed
	if err := json.Unmarshal(replaceNonfinite(tree), &p); err != nil {
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

// replaceNonfinite replaces Infinity and NaN in a tree by a number. DuckDB writes both words
// outside of strings, for example for 1e309, but JSON lacks them. The number is too
// large for every function with bounded arguments.
func replaceNonfinite(tree []byte) []byte {
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

type checker struct{ names Names }

// walk checks a part of the tree, and all parts below. with are the queries named by
// WITH that the part can use.
func (c *checker) walk(part any, with *ctes) error {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			if err := c.walk(p, with); err != nil {
				return err
			}
		}
	case map[string]any:
		return c.object(part, with)
	}
	return nil
}

func (c *checker) object(o map[string]any, with *ctes) error {
	if class, ok := o["class"].(string); ok {
		return c.expression(class, o, with)
	}
	kind, ok := o["type"].(string)
	switch {
	case !ok, strings.HasSuffix(kind, "_TYPE_INFO"):
		return c.walkBelow(o, with)
	case !kinds()[kind]:
		return &Refused{What: kind, Why: "a kind of query that isn't known here"}
	}
	switch kind {
	case "SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE":
		return c.query(kind, o, with)
	case "BASE_TABLE":
		if err := c.table(o, with); err != nil {
			return err
		}
	case "SHOW_REF":
		if err := c.show(o); err != nil {
			return err
		}
	case "TABLE_FUNCTION":
		return c.tableFunction(o, with)
	}
	return c.walkBelow(o, with)
}

// walkBelow walks all values of an object, except the values already walked.
func (c *checker) walkBelow(o map[string]any, with *ctes, walked ...string) error {
	for key, value := range o {
		if slices.Contains(walked, key) {
			continue
		}
		if err := c.walk(value, with); err != nil {
			return err
		}
	}
	return nil
}

// query walks a query. Each query of a WITH knows the earlier queries. A recursive
// query knows itself only in its recursive part. In the first part, and in the query's
// own WITH, the name still means another table.
func (c *checker) query(kind string, o map[string]any, with *ctes) error {
	named, _ := o["cte_map"].(map[string]any)
	entries, _ := named["map"].([]any)
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		if err := c.walk(e["value"], with); err != nil {
			return err
		}
		with = &ctes{lower(e["key"]), false, with}
	}
	if kind != "RECURSIVE_CTE_NODE" {
		return c.walkBelow(o, with, "cte_map")
	}
	if err := c.walk(o["right"], &ctes{lower(o["cte_name"]), true, with}); err != nil {
		return err
	}
	return c.walkBelow(o, with, "cte_map", "right")
}

func (c *checker) expression(class string, o map[string]any, with *ctes) error {
	switch {
	case !expressions()[class]:
		return &Refused{What: class, Why: "a kind of expression that isn't known here"}
	case class == "CONSTANT":
		return nil
	case class == "FUNCTION", class == "WINDOW":
		if err := c.function(o); err != nil {
			return err
		}
	}
	return c.walkBelow(o, with)
}

func (c *checker) function(o map[string]any) error {
	name := lower(o["function_name"])
	switch {
	case c.names.Functions[name], strings.HasPrefix(name, collations):
		return nil
	case !scalars()[name]:
		return refusedError(name)
	}
	arguments, _ := o["children"].([]any)
	return checkSizes(name, arguments)
}

func (c *checker) tableFunction(o map[string]any, with *ctes) error {
	call, _ := o["function"].(map[string]any)
	name := lower(call["function_name"])
	if !c.names.Functions[name] && !tableFunctions()[name] {
		return refusedError(name)
	}
	// The call itself isn't an expression of the statement, but its arguments are.
	if err := c.walkBelow(call, with); err != nil {
		return err
	}
	return c.walkBelow(o, with, "function")
}

// table checks a table name, which may also be the path of a file.
func (c *checker) table(o map[string]any, with *ctes) error {
	catalog, schema, name := lower(o["catalog_name"]), lower(o["schema_name"]), lower(o["table_name"])
	if catalog == "" && with.has(schema, name) {
		return nil
	}
	if catalog == "" && (schema == "store" || schema == "memory") {
		schema = "" // the first of two names may be the database
	}
	full := name
	if schema != "" && schema != "main" {
		full = schema + "." + name
	}
	ours := catalog == "" || catalog == "store" || catalog == "memory"
	if ours && c.names.Tables[full] || (catalog == "" || catalog == "system") && catalogViews()[full] {
		return nil
	}
	if alike := suggest.To(full, slices.Sorted(maps.Keys(c.names.Tables))); ours && len(alike) > 0 {
		m := &Misspelt{Table: text(o["table_name"]), Alike: alike[0]}
		if at, known := o["query_location"].(float64); known {
			m.Position = strconv.Itoa(int(at))
		}
		return m
	}
	return &Refused{What: fmt.Sprintf("%q", strings.Join(nonEmpty(text(o["catalog_name"]), text(o["schema_name"]), text(o["table_name"])), ".")),
		Why: "no table that is here", Hint: "SHOW ALL TABLES lists them; files are not read"}
}

// show checks SHOW TABLES and similar statements. DESCRIBE and SUMMARIZE contain a
// query.
func (c *checker) show(o map[string]any) error {
	what := lower(o["table_name"])
	switch {
	case what == "" && o["query"] != nil:
		return nil
	case o["query"] == nil && (what == `"tables"` || what == "__show_tables_expanded" || what == `"databases"`):
		return nil
	case o["query"] == nil && what == "" && text(o["show_type"]) == "SHOW_FROM":
		return nil // this lists the names of a schema
	}
	return &Refused{What: "SHOW " + what, Why: "not shown here", Hint: "SHOW ALL TABLES lists the tables"}
}

func text(v any) string { s, _ := v.(string); return s }

// lower returns a name in lower case as DuckDB compares names. Only ASCII letters
// change, because otherwise a query named İ would count as i.
func lower(v any) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text(v))
}

func nonEmpty(list ...string) []string {
	return lists.Filter(list, func(s string) bool { return s != "" })
}
