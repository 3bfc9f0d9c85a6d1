package codex

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// newNestedCall returns the call that an item or event describes. It returns nil if items
// of this type describe no call.
func newNestedCall(v *fastjson.Value, id string) *tables.ToolCall {
	c := &tables.ToolCall{ToolUseID: id, Input: "{}"}
	switch kind := cmp.Or(readers.Text(v, "type"), "item"); kind {
	case "CommandExecution", "exec_command_end":
		setNestedCommand(c, v)
	case "FileChange", "patch_apply_end":
		setNestedPatch(c, v)
	case "McpToolCall", "mcp_tool_call_end":
		invocation := v
		if inner := v.Get("invocation"); inner != nil {
			invocation = inner
		}
		c.ToolName, c.ToolKind = "mcp__"+readers.Text(invocation, "server")+"__"+readers.Text(invocation, "tool"), tables.ToolMCP
		c.Input = inputOf(invocation.Get("arguments"))
	case "WebSearch", "web_search_end":
		c.ToolName, c.ToolKind = "web_search", tables.ToolWeb
		c.Input = readers.Object(map[string]any{"query": strings.ToValidUTF8(readers.Text(v, "query"), "\uFFFD")})
	case "ImageView", "view_image_tool_call":
		c.ToolName, c.ToolKind, c.FilePath = "view_image", tables.ToolRead, readers.Text(v, "path")
	case "DynamicToolCall":
		c.ToolName, c.ToolKind, c.Input = readers.Text(v, "tool"), tables.ToolOther, inputOf(v.Get("arguments"))
	case "CollabAgentToolCall", "SubAgentActivity":
		c.ToolName, c.ToolKind = agentTool(v), tables.ToolAgent
	default:
		return nil
	}
	return c
}

func inputOf(v *fastjson.Value) string {
	if readers.IsNull(v) {
		return "{}"
	}
	return readers.JSON(v)
}

func setNestedCommand(c *tables.ToolCall, v *fastjson.Value) {
	words := readers.Texts(v.GetArray("command"))
	c.ToolName, c.ToolKind, c.Command = "exec_command", tables.ToolCommand, commandLine(words)
	input := map[string]any{"cmd": strings.ToValidUTF8(c.Command, "\uFFFD")}
	if dir := pathOf(readers.Text(v, "cwd")); dir != "" {
		input["workdir"] = strings.ToValidUTF8(dir, "\uFFFD")
	}
	c.Input = readers.Object(input)
}

// pathOf returns the path of a file URI. Any other text is returned unchanged.
func pathOf(s string) string {
	if u, err := url.Parse(s); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return s
}

func setNestedPatch(c *tables.ToolCall, v *fastjson.Value) {
	c.ToolName, c.ToolKind = "apply_patch", tables.ToolEdit
	changes := v.Get("changes")
	if changes == nil || changes.Type() != fastjson.TypeObject {
		return
	}
	text := readers.JSON(changes)
	c.Input = readers.Object(map[string]any{"changes": json.RawMessage(text)})
	changes.GetObject().Visit(func(path []byte, _ *fastjson.Value) {
		c.FilePath = cmp.Or(c.FilePath, string(path))
	})
	c.Diff = func() string { return changesDiff(text) }
}

// changesDiff returns a patch's changes as a unified diff.
func changesDiff(changes string) string {
	v, err := fastjson.Parse(changes)
	if err != nil {
		return ""
	}
	var out strings.Builder
	v.GetObject().Visit(func(key []byte, change *fastjson.Value) {
		path := strings.TrimPrefix(string(key), "/")
		from, to := "a/"+path, "b/"+path
		content := readers.Text(change, "content")
		switch readers.Text(change, "type") {
		case "add":
			from, content = "/dev/null", hunkOf("+", content)
		case "delete":
			to, content = "/dev/null", hunkOf("-", content)
		default:
			content = readers.Text(change, "unified_diff")
			if moved := readers.Text(change, "move_path"); moved != "" {
				to = "b/" + strings.TrimPrefix(moved, "/")
			}
		}
		out.WriteString("--- " + from + "\n+++ " + to + "\n" + content)
		if content != "" && !strings.HasSuffix(content, "\n") {
			out.WriteString("\n")
		}
	})
	return out.String()
}

// hunkOf returns the hunk for a whole file that was added or deleted.
func hunkOf(sign, content string) string {
	if content == "" {
		return ""
	}
	lines := strings.SplitAfter(strings.TrimSuffix(content, "\n"), "\n")
	head := "@@ -0,0 +1," + strconv.Itoa(len(lines)) + " @@\n"
	if sign == "-" {
		head = "@@ -1," + strconv.Itoa(len(lines)) + " +0,0 @@\n"
	}
	return head + sign + strings.Join(lines, sign)
}

var agentWords = pattern.Lazy(`([a-z])([A-Z])`)

// agentTool returns the name of the agent tool in an item, spelled as in a call's own
// line: "spawnAgent" becomes "collaboration.spawn_agent".
func agentTool(v *fastjson.Value) string {
	name := strings.ToLower(agentWords.ReplaceAllString(cmp.Or(readers.Text(v, "tool"), "spawn_agent"), "${1}_${2}"))
	return "collaboration." + name
}
