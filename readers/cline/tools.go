package cline

import (
	"cmp"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/patch"
	"hindsql/tables"
)

// toolKinds maps Cline's own tools, of sessions and of tasks, to their kinds.
var toolKinds = readers.ToolsOf(`
	edit: editor apply_patch write_to_file replace_in_file new_rule
	command: run_commands execute_command
	read: read_files read_file list_files list_code_definition_names
	search: search_codebase search_files
	web: fetch_web_content web_fetch web_search browser_action
	agent: spawn_agent use_subagents
	question: ask_question ask_followup_question
	plan: switch_to_act_mode plan_mode_respond
	mcp: use_mcp_tool access_mcp_resource
	other: skills submit_and_exit attempt_completion new_task
`)

// toolKind returns a tool's kind. Tools of MCP servers are named server__tool
// (FORMAT.md §8).
func toolKind(name string) string {
	server := strings.Contains(name, "__")
	if toolKinds[name] == "" && !server && strings.HasPrefix(name, "team_") {
		return tables.ToolAgent
	}
	return toolKinds.Kind(name, server)
}

// isOwn reports whether Cline itself brings the tool. The errors of other tools are
// written by strangers.
func isOwn(name string) bool {
	kind := toolKinds[name]
	return kind != "" && kind != tables.ToolMCP || kind == "" && strings.HasPrefix(name, "team_") && toolKind(name) != tables.ToolMCP
}

// call is a tool call and its result.
type call struct {
	tables.ToolCall
	native   string // the model's own id
	at       *entry
	times    int      // how many calls before had the same id
	commands []string // of run_commands, which takes several
	result   *result  // nil until a message brings it

	// Of a task's call:
	asked     bool     // the user was asked
	feedback  *shown   // the user's words beside the answer; nil if there are none
	picked    string   // the option that the user picked
	printed   []string // what the call printed
	forbidden bool     // by a setting
}

// toolUse handles a tool_use block. Some servers number calls anew in every response,
// so a repeated id is made unique.
func (s *session) toolUse(e *entry, v *fastjson.Value) {
	id, name := readers.Text(v, "id"), s.words.Intern(v.GetStringBytes("name"))
	input := v.Get("input")
	c := &call{native: id, at: e}
	c.ToolCall = tables.ToolCall{
		ToolUseID: id,
		ToolName:  name,
		ToolKind:  toolKind(name),
		Input:     readers.JSON(input),
		Timestamp: e.Timestamp,
		Line:      e.Line,
	}
	if before := s.calls[id]; before != nil && id != "" {
		c.times = before.times + 1
		c.ToolUseID = id + "@" + strconv.Itoa(c.times+1)
	}
	c.setArguments(input)
	s.calls[id] = c
	e.calls = append(e.calls, c)
}

// setArguments sets the columns that a tool's arguments fill (FORMAT.md §8).
func (c *call) setArguments(input *fastjson.Value) {
	switch c.ToolName {
	case "run_commands":
		c.commands = commandsOf(input)
		c.Command = strings.Join(c.commands, "\n")
		c.Parts = func(string) []string { return partsOf(c.commands) }
	case "execute_command":
		c.Command = readers.Text(input, "command")
	case "editor", "write_to_file", "replace_in_file":
		c.FilePath = readers.Text(input, "path")
		c.Edits = func() []tables.Edit { return edits(c.Input) }
	case "apply_patch":
		patch.Set(&c.ToolCall, cmp.Or(readers.Text(input), readers.Text(input, "input")))
	case "read_files":
		c.FilePath = firstFile(input)
	case "read_file", "list_files", "search_files":
		c.FilePath = readers.Text(input, "path")
	}
}

// commandsOf returns the commands of run_commands: the tool takes one or several, as
// texts or as programs with arguments.
func commandsOf(input *fastjson.Value) (list []string) {
	if input == nil {
		return nil
	}
	switch input.Type() {
	case fastjson.TypeString:
		return []string{readers.Text(input)}
	case fastjson.TypeArray:
		for _, one := range input.GetArray() {
			list = append(list, commandsOf(one)...)
		}
	case fastjson.TypeObject:
		if several := input.Get("commands"); several != nil {
			return commandsOf(several)
		}
		if text := readers.FirstText(input, "command", "cmd"); text != "" {
			for _, word := range input.GetArray("args") {
				text += " " + readers.Text(word)
			}
			return []string{text}
		}
	}
	return list
}

// partsOf splits several commands into their simple commands; nil if one can't be split.
func partsOf(commands []string) (parts []string) {
	for _, one := range commands {
		split := readers.CommandParts(one)
		if split == nil {
			return nil
		}
		parts = append(parts, split...)
	}
	return parts
}

// edits returns the change of an edit, whether or not it ran.
var edits = readers.EditIn("path", "old_text", "new_text content diff")

// firstFile returns the first file that read_files reads, in any shape of its
// arguments.
func firstFile(input *fastjson.Value) string {
	if input == nil {
		return ""
	}
	switch input.Type() {
	case fastjson.TypeString:
		return readers.Text(input)
	case fastjson.TypeArray:
		if list := input.GetArray(); len(list) > 0 {
			return firstFile(list[0])
		}
	case fastjson.TypeObject:
		for _, key := range []string{"files", "file_paths", "paths"} {
			if v := input.Get(key); v != nil {
				return firstFile(v)
			}
		}
		return readers.FirstText(input, "path", "file_path", "filePath")
	}
	return ""
}
