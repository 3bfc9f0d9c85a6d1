package cline

import (
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolKinds maps Cline's own tools, of sessions and of tasks, to their kinds.
var toolKinds = map[string]string{
	"editor": tables.ToolEdit, "apply_patch": tables.ToolEdit,
	"write_to_file": tables.ToolEdit, "replace_in_file": tables.ToolEdit, "new_rule": tables.ToolEdit,
	"run_commands": tables.ToolCommand, "execute_command": tables.ToolCommand,
	"read_files": tables.ToolRead, "read_file": tables.ToolRead, "list_files": tables.ToolRead,
	"list_code_definition_names": tables.ToolRead,
	"search_codebase":            tables.ToolSearch, "search_files": tables.ToolSearch,
	"fetch_web_content": tables.ToolWeb, "web_fetch": tables.ToolWeb, "web_search": tables.ToolWeb,
	"browser_action": tables.ToolWeb,
	"spawn_agent":    tables.ToolAgent, "use_subagents": tables.ToolAgent,
	"ask_question": tables.ToolQuestion, "ask_followup_question": tables.ToolQuestion,
	"switch_to_act_mode": tables.ToolPlan, "plan_mode_respond": tables.ToolPlan,
	"use_mcp_tool": tables.ToolMCP, "access_mcp_resource": tables.ToolMCP,
	"skills": tables.ToolOther, "submit_and_exit": tables.ToolOther,
	"attempt_completion": tables.ToolOther, "new_task": tables.ToolOther,
}

// toolKind returns a tool's kind. Tools of MCP servers are named server__tool
// (FORMAT.md §8).
func toolKind(name string) string {
	if kind := toolKinds[name]; kind != "" {
		return kind
	}
	switch {
	case strings.Contains(name, "__"):
		return tables.ToolMCP
	case strings.HasPrefix(name, "team_"):
		return tables.ToolAgent
	}
	return tables.ToolOther
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
	said      *shown   // the user's words beside the answer; nil if there are none
	picked    string   // the option that the user picked
	printed   []string // what the call printed
	forbidden bool     // by a setting
}

// toolUse handles a tool_use block. Some servers number calls anew in every response,
// so a repeated id is made unique.
func (s *session) toolUse(e *entry, v *fastjson.Value) {
	id, name := readers.Text(v, "id"), s.words.Of(v.GetStringBytes("name"))
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
	c.describe(input)
	s.calls[id] = c
	e.calls = append(e.calls, c)
}

// describe sets the columns that a tool's arguments fill (FORMAT.md §8).
func (c *call) describe(input *fastjson.Value) {
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
		patch := patchOf(input)
		c.FilePath = readers.PatchedFile(patch)
		c.Diff = func() string { return readers.PatchDiff(patch) }
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
func edits(input string) []tables.Edit {
	v, err := fastjson.Parse(input)
	if err != nil {
		return nil
	}
	return []tables.Edit{{
		Path: readers.Text(v, "path"),
		Old:  readers.Text(v, "old_text"),
		New:  readers.FirstText(v, "new_text", "content", "diff"),
	}}
}

func patchOf(input *fastjson.Value) string {
	if text := readers.Text(input); text != "" {
		return text
	}
	return readers.Text(input, "input")
}

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
