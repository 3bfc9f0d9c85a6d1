package grok

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Grok Build's tools to their kinds (FORMAT.md §7).
var toolKinds = readers.ToolsOf(`
	command: run_terminal_command run_terminal_cmd
	edit: search_replace write
	read: read_file list_dir
	search: grep
	web: web_search web_fetch
	agent: spawn_subagent
	plan: exit_plan_mode enter_plan_mode
	question: ask_user_question
	mcp: use_tool
`)

const (
	planTool     = "exit_plan_mode"
	questionTool = "ask_user_question"
)

// toolKind returns the kind of a tool. A server's tool is named server__tool.
func toolKind(name string) string { return toolKinds.Kind(name, strings.Contains(name, "__")) }

// call is a tool call and its known facts so far.
type call struct {
	tables.ToolCall
	native   string // the model's own id
	response *tables.Message
	ended    bool // a result was read
	failed   bool
	ran      bool   // an event says so
	said     string // the end of a failed call, or of a plan or question, in the tool's or program's words
	own      string // rawOutput.type: the program's own word for the result; empty if it has none
	result   *tables.ToolResult
	refusal  *tables.Rejection // void until the turn is judged
	about    string            // description of a subagent's task
	child    string            // session of the subagent that the call started
	ask      *ask
	shell    bool // typed by the user after "!"
}

// fill sets the tool, and what its arguments tell. own is the program's own name for the
// tool; empty if unknown.
func (c *call) fill(name, own string, input *fastjson.Value) {
	if c.ToolName, c.ToolKind = name, toolKind(name); c.ToolKind == tables.ToolOther && own != "" {
		c.ToolKind = toolKind(own)
	}
	c.Input = "{}"
	if input != nil && input.Type() == fastjson.TypeObject {
		c.Input = readers.JSON(input)
	} else if !readers.IsNull(input) {
		c.Input = `{"input":` + readers.JSON(input) + `}`
	}
	c.FilePath = readers.FirstText(input, "file_path", "target_file", "path", "target_directory")
	if c.ToolKind == tables.ToolAgent {
		c.about = readers.Text(input, "description")
	}
	readers.Arguments(&c.ToolCall, readers.Text(input, "command"), editsIn)
}

// editsIn returns the edit in the arguments of an edit tool.
var editsIn = readers.EditIn("file_path path target_file", "old_string old_str", "new_string new_str content contents")

// diffsIn returns the edits in an update's content.
func diffsIn(content []*fastjson.Value) (edits []tables.Edit) {
	for _, part := range content {
		if readers.Text(part, "type") == "diff" {
			edits = append(edits, tables.Edit{Path: readers.Text(part, "path"), Old: readers.Text(part, "oldText"), New: readers.Text(part, "newText")})
		}
	}
	return edits
}
