package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// schemaTables maps the members of a session object in docs/session.schema.json to the
// tables from which they come.
var schemaTables = map[string]string{
	"session": "sessions", "message": "messages", "tool_call": "tool_calls", "boundary": "compactions",
	"context_clear": "clears", "interruption": "interruptions", "rejection": "rejections",
}

// schemaRegions returns the properties of the members: one for each column.
func schemaRegions() (list []region) {
	for member, table := range schemaTables {
		list = append(list, region{
			regexp.MustCompile(`(?s)\n    "` + member + `": \{\n.*?\n      "properties": \{\n(.*?)\n      \}\n`),
			func(agents []*readers.Reader) string { return properties(member, table, agents) },
		})
	}
	return list
}

func properties(member, table string, agents []*readers.Reader) string {
	all := tables.All()
	t := all[slices.IndexFunc(all, func(t *tables.Table) bool { return t.Name == table })]
	var lines []string
	for _, c := range t.Columns {
		if table == "sessions" && c.Name == "is_copy" || table != "sessions" && (c.Name == "agent" || c.Name == "session_id" || tables.IsOrigin(c.Name)) {
			continue // the session object has the column
		}
		rule := cmp.Or(stricter(agents)[member+"."+c.Name], stricter(agents)[c.Name], jsonTypes[c.Type])
		lines = append(lines, fmt.Sprintf(`        "%s": {%s"description": %s}`, c.Name, rule, quoted(c.Doc)))
	}
	return strings.Join(lines, ",\n")
}

// quoted writes a text as JSON, and leaves HTML's characters unescaped.
func quoted(text string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// jsonTypes has the schema's rule for each column type. A JSON column may have any
// value.
var jsonTypes = map[string]string{
	"VARCHAR": `"$ref": "#/$defs/text", `, "BIGINT": `"$ref": "#/$defs/count", `, "INTEGER": `"$ref": "#/$defs/count", `,
	"DOUBLE": `"$ref": "#/$defs/number", `, "BOOLEAN": `"$ref": "#/$defs/truth", `, "TIMESTAMPTZ": `"$ref": "#/$defs/time", `,
	"VARCHAR[]": `"type": ["array", "null"], "items": {"type": "string"}, `,
	tables.AnswersType: `"type": ["array", "null"], "items": {"type": "object", "required": ["question", "options", "picked", "words"], "additionalProperties": false, "properties": {` +
		`"question": {"type": ["string", "null"]}, "options": {"type": "array", "items": {"type": "string"}}, "picked": {"type": "array", "items": {"type": "string"}}, "words": {"type": ["string", "null"]}}}, `,
	"INTEGER[]": `"type": ["array", "null"], "items": {"type": "integer", "minimum": 0}, `,
}

// stricter returns rules for columns whose values are more restricted than their type:
// by member and column, or by column in all members.
func stricter(agents []*readers.Reader) map[string]string {
	var names []string
	for _, r := range agents {
		names = append(names, strconv.Quote(r.Agent))
	}
	const id, index, truth = `"type": "string", "minLength": 1, `, `"type": "integer", "minimum": 0, `, `"type": "boolean", `
	return map[string]string{
		"agent": enum(names), "session_id": id, "source_id": `"type": "integer", `, "is_copy": truth, "is_inferred": truth,
		"message.message_index": index, "message.segment": index, "message.line": `"type": "integer", `,
		"message.is_sidechain": truth, "message.is_active": truth,
		"session.kind": `"type": "string", `, "message.kind": `"type": "string", `,
		"message.role": enum(vocabulary("Role")), "tool_call.tool_kind": enum(vocabulary("Tool")), "tool_call.status": enum(vocabulary("Status")),
		"boundary.trigger": `"enum": ["auto", "manual", null], `, "interruption.type": enum(vocabulary("InterruptedBy")),
		"after_message_index": `"type": ["integer", "null"], "minimum": -1, `,
	}
}

func enum(words []string) string { return `"enum": [` + strings.Join(words, ", ") + `], ` }

// vocabulary returns the quoted values of a column: the constants of package tables
// whose names begin with prefix.
func vocabulary(prefix string) (words []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../tables/vocabulary.go", nil, 0)
	if err != nil {
		panic(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, prefix) {
			words = append(words, spec.Values[0].(*ast.BasicLit).Value)
		}
		return true
	})
	return words
}
