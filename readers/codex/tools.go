package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/patch"
	"hindsql/tables"
)

// toolKinds maps the tools of all Codex versions to their kinds.
var toolKinds = readers.ToolsOf(`
	command: shell container.exec local_shell shell_command exec_command write_stdin
	edit: apply_patch
	plan: update_plan
	read: view_image read_file list_dir
	mcp: list_mcp_resources list_mcp_resource_templates read_mcp_resource
	search: grep_files tool_search tool_search_call
	web: web_search web_search_call
	question: request_user_input request_permissions
	agent: spawn_agent send_input wait wait_agent close_agent resume_agent spawn_agents_on_csv send_message followup_task list_agents interrupt_agent
`)

// ownSpace is the namespace of Codex's own tools; some versions leave it out.
const ownSpace = "functions"

// agentSpaces lists the namespaces of tools that start, ask and stop agents.
var agentSpaces = readers.SetOf("multi_agent_v1 collaboration")

// toolName puts a namespace before a tool's name: with "__" for MCP servers, otherwise
// with a dot.
func toolName(namespace, name string) string {
	switch {
	case namespace == "", strings.HasSuffix(namespace, "__"):
		return namespace + name
	case strings.HasPrefix(namespace, "mcp__"):
		return namespace + "__" + name
	}
	return namespace + "." + name
}

func toolKind(namespace, name string) string {
	if kind := toolKinds[name]; kind != "" && (namespace == "" || namespace == ownSpace || agentSpaces[namespace] && kind == tables.ToolAgent) {
		return kind
	}
	if agentSpaces[namespace] {
		return tables.ToolAgent
	}
	if strings.HasPrefix(namespace, "mcp__") || strings.Contains(name, "__") {
		return tables.ToolMCP
	}
	return tables.ToolOther
}

// call holds the facts about a call that later lines need.
type call struct {
	*tables.ToolCall
	extra             readers.Extra
	uuid              string // uuid of the response that makes the call
	at                *record
	escalated         bool // the call asks to run outside the sandbox
	answered          bool
	result            *tables.ToolResult
	end               *callEnd
	rules             approvalRules
	answer            *answer              // a person's answer to the question about the call
	refused           bool                 // the call was refused by a person or the program
	declined          bool                 // the log states that a person refused the call
	wordedRejection   *tables.Rejection    // a refusal shown only by words in the output; nil if none
	previousEnd       time.Time            // when the previous call of the response ended
	inferredRejection *tables.Rejection    // a refusal inferred because the user stopped the turn; nil if none
	interruption      *tables.Interruption // the interruption that cut the call
	script            *script              // a code-mode script; nil for other calls
	inText            *scriptCommand       // the command in the script's text that made this call; nil if unknown
	cell              string               // name of the script that a wait call waits for
	spawned           string               // session of the subagent that the call started
}

func (t *rollout) handleToolCall(r *record) {
	name := t.words.Intern(r.GetStringBytes("name"))
	name = cmp.Or(name, strings.TrimSuffix(r.sub, "_call"))
	c := &tables.ToolCall{ToolUseID: readers.Text(r.Value, "call_id"), Timestamp: r.at, Line: r.line}
	namespace := readers.Text(r.Value, "namespace")
	c.ToolName = toolName(namespace, name)
	c.ToolKind = toolKind(namespace, name)
	if t.isScript(r, name, namespace) {
		c.ToolKind = tables.ToolScript
	}
	extra := t.setInput(r, c)
	js := c.Command
	if c.ToolKind == tables.ToolScript {
		c.Command = ""
	}
	uuid := t.advanceChain("call", cmp.Or(c.ToolUseID, c.Input))
	if c.ToolUseID == "" {
		c.ToolUseID = cmp.Or(readers.Text(r.Value, "id"), "call_"+uuid)
	}
	id := c.ToolUseID
	t.renumber(c)
	info := t.addCall(r, c, extra, uuid)
	if c.ToolUseID != id {
		t.calls[id] = info
	}
	if c.ToolKind == tables.ToolScript {
		t.addScript(r, info, js)
		info.cell = readers.Text(t.parseArgument(r.Get("arguments")), "cell_id")
	}
}

// renumber gives a call a new id if an older call with the same id already has its output:
// some providers number their calls anew.
func (t *rollout) renumber(c *tables.ToolCall) {
	id, old := c.ToolUseID, t.calls[c.ToolUseID]
	if old == nil || !old.answered || old.Timestamp.Equal(c.Timestamp) && old.ToolName == c.ToolName && old.Input == c.Input {
		return
	}
	for n := 2; t.calls[c.ToolUseID] != nil; n++ {
		c.ToolUseID = fmt.Sprintf("%s@%d", id, n)
	}
}

func (t *rollout) addCall(r *record, c *tables.ToolCall, extra readers.Extra, uuid string) *call {
	if text := patch.In(c.Command); text != "" && (c.ToolKind == tables.ToolCommand || c.ToolKind == tables.ToolEdit) {
		c.ToolKind = tables.ToolEdit // a patch through the shell, too
		patch.Set(c, text)
		if c.ToolName == "apply_patch" {
			c.Command = ""
		}
	}
	c.Extra = readers.Object(extra)
	p := t.responseFor(r, uuid)
	p.calls = append(p.calls, c)
	rules := approvalRules{policy: t.facts.approval, reviewer: t.facts.reviewer, prefixAllows: t.isAllowedByPrefix(c.Command)}
	info := &call{ToolCall: c, extra: extra, uuid: p.m.UUID, at: &record{at: r.at, line: r.line}, rules: rules}
	_, info.escalated = extra["escalation"]
	if t.calls[c.ToolUseID] == nil {
		t.calls[c.ToolUseID] = info
		t.callList = append(t.callList, info)
		t.turn.open = append(t.turn.open, info)
	}
	return info
}

// setInput fills in the call's input, command and file. It returns the fields of the
// call's extra.
func (t *rollout) setInput(r *record, c *tables.ToolCall) map[string]any {
	if raw := r.Get("input"); raw != nil && raw.Type() == fastjson.TypeString {
		c.Command = readers.Text(raw)
		c.Input = readers.Object(map[string]any{"input": strings.ToValidUTF8(c.Command, "\uFFFD")})
		if c.ToolKind == tables.ToolScript && strings.Contains(c.Command, escalate) {
			return map[string]any{"escalation": escalate} // for a call that the script makes
		}
		return map[string]any{}
	}
	args := r.Get("action")
	if args == nil {
		args = t.parseArgument(r.Get("arguments"))
	}
	if args == nil || args.Type() != fastjson.TypeObject {
		c.Input = readers.Object(map[string]any{"arguments": json.RawMessage(cmp.Or(readers.JSON(r.Get("arguments")), "null"))})
		return map[string]any{}
	}
	args.Del("env") // may hold keys
	c.Input = readers.JSON(args)
	if c.ToolKind == tables.ToolCommand || c.ToolKind == tables.ToolEdit {
		c.Command = commandIn(args)
	}
	c.FilePath = cmp.Or(readers.Text(args, "path"), readers.Text(args, "file_path"))
	return escalationExtra(args)
}

// parseArgument returns the JSON in a string, valid until the next call; nil if it
// isn't JSON.
func (t *rollout) parseArgument(s *fastjson.Value) *fastjson.Value {
	if s == nil {
		return nil
	}
	if s.Type() != fastjson.TypeString {
		return s
	}
	v, err := t.parser.ParseBytes(s.GetStringBytes())
	if err != nil {
		return nil
	}
	return v
}

// commandIn returns the command in a call's arguments: a text, or a list of words
// without its shell.
func commandIn(args *fastjson.Value) string {
	for _, key := range []string{"command", "cmd", "input", "patch"} {
		v := args.Get(key)
		switch {
		case v == nil:
		case v.Type() == fastjson.TypeString:
			return readers.Text(v)
		case v.Type() == fastjson.TypeArray:
			return commandLine(readers.Texts(v.GetArray()))
		}
	}
	return ""
}

// shellFlags lists the flags after which a shell expects the script to run.
var shellFlags = readers.SetOf("-c -lc -ic -lic -Command -command /c /C")

func commandLine(words []string) string {
	if n := len(words); n >= 3 && shellFlags[words[n-2]] {
		return words[n-1]
	}
	if len(words) == 2 && patch.IsCommand(words[0]) {
		return words[1]
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" || strings.ContainsAny(w, " \t\n\"'$`\\*?|&;<>()") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

const escalate = "require_escalated"

// escalationExtra returns a call's fields about leaving the sandbox (FORMAT.md §3.2).
func escalationExtra(args *fastjson.Value) map[string]any {
	extra := readers.Extra{}
	if args.GetBool("with_escalated_permissions") {
		extra.Set("escalation", escalate)
	}
	if p := readers.Text(args, "sandbox_permissions"); p != "" && p != "use_default" {
		extra.Set("escalation", strings.ToValidUTF8(p, "\uFFFD"))
	}
	for _, key := range []string{"justification", "prefix_rule"} {
		extra.JSON(key, args.Get(key))
	}
	return extra
}

// handleHostedCall handles a call that the model's server runs itself. No item holds
// its result (FORMAT.md §3.2).
func (t *rollout) handleHostedCall(r *record) {
	c := &tables.ToolCall{
		ToolName: strings.TrimSuffix(r.sub, "_call"), ToolKind: tables.ToolOther,
		Input: cmp.Or(readers.JSON(r.Get("action")), "{}"), Timestamp: r.at, Line: r.line,
	}
	if r.sub == "web_search_call" {
		c.ToolKind = tables.ToolWeb
	}
	uuid := t.advanceChain(r.sub, cmp.Or(readers.Text(r.Value, "id"), c.Input))
	c.ToolUseID = cmp.Or(readers.Text(r.Value, "id"), r.sub+"_"+uuid)
	info := t.addCall(r, c, map[string]any{}, uuid)
	info.answered = true
	e := &tables.ToolResult{ToolUseID: c.ToolUseID, Status: tables.StatusOK}
	if readers.Text(r.Value, "status") == "failed" {
		e.Status, e.ErrorType = tables.StatusError, tables.ErrorOther
	}
	t.response.results = append(t.response.results, e)
}
