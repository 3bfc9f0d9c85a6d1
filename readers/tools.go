package readers

import (
	"strings"

	"hindsql/tables"
)

// Tools maps the names of an agent's own tools to their kinds.
type Tools map[string]string

// toolKinds are the words for kinds of tools.
var toolKinds = SetOf(strings.Join([]string{
	tables.ToolEdit, tables.ToolCommand, tables.ToolRead, tables.ToolSearch, tables.ToolWeb, tables.ToolMCP,
	tables.ToolPlan, tables.ToolQuestion, tables.ToolAgent, tables.ToolScript, tables.ToolOther,
}, " "))

// ToolsOf reads a text with the tools of each kind, such as "read: cat ls". It panics if
// a list begins with an unknown kind, so the tests of every agent check the kinds.
func ToolsOf(text string) Tools {
	tools, kind := Tools{}, ""
	for word := range strings.FieldsSeq(text) {
		if head, is := strings.CutSuffix(word, ":"); is {
			kind = head
		} else if !toolKinds[kind] {
			panic("readers: no kind of tool " + kind)
		} else {
			tools[word] = kind
		}
	}
	return tools
}

// Kind returns a tool's kind. A tool that isn't one of the agent's own is a server's if
// the caller says so.
func (t Tools) Kind(name string, server bool) string {
	switch kind := t[name]; {
	case kind != "":
		return kind
	case server:
		return tables.ToolMCP
	}
	return tables.ToolOther
}
