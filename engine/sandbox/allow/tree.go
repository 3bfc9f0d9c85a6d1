package allow

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/suggest"
)

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
		return c.below(o, with)
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
	return c.below(o, with)
}

// below walks all values of an object, except the values already walked.
func (c *checker) below(o map[string]any, with *ctes, walked ...string) error {
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
		with = with.with(e["key"])
	}
	if kind != "RECURSIVE_CTE_NODE" {
		return c.below(o, with, "cte_map")
	}
	if err := c.walk(o["right"], with.within(o["cte_name"])); err != nil {
		return err
	}
	return c.below(o, with, "cte_map", "right")
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
	return c.below(o, with)
}

func (c *checker) function(o map[string]any) error {
	name := lower(o["function_name"])
	switch {
	case c.names.Functions[name], strings.HasPrefix(name, collations):
		return nil
	case !scalars()[name]:
		return refusal(name)
	}
	arguments, _ := o["children"].([]any)
	return sizes(name, arguments)
}

func (c *checker) tableFunction(o map[string]any, with *ctes) error {
	call, _ := o["function"].(map[string]any)
	name := lower(call["function_name"])
	if !c.names.Functions[name] && !tableFunctions()[name] {
		return refusal(name)
	}
	// The call itself isn't an expression of the statement, but its arguments are.
	if err := c.below(call, with); err != nil {
		return err
	}
	return c.below(o, with, "function")
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

func nonEmpty(list ...string) (rest []string) {
	for _, s := range list {
		if s != "" {
			rest = append(rest, s)
		}
	}
	return rest
}
