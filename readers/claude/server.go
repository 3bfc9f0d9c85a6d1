package claude

import (
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// serverResults lists the blocks of an answer that end calls which the model's server ran
// inside the answer (FORMAT.md §5.5).
var serverResults = readers.SetOf(`web_search_tool_result web_fetch_tool_result code_execution_tool_result
	bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result advisor_tool_result
	mcp_tool_result`)

// handleServerResult handles the end of a call that the server ran. No person and no rule
// of Claude Code was asked about it, so no words of it are a refusal.
func (t *transcript) handleServerResult(r *record, b block) {
	id, content := b.resultOf(t.calls), b.Get("content")
	e := t.resultArena.New()
	*e = tables.ToolResult{ToolUseID: id, Status: tables.StatusOK, Timestamp: r.at, ExitCode: readers.Int(content, "return_code")}
	code := readers.Text(content, "error_code")
	if code != "" || b.GetBool("is_error") || e.ExitCode.Value != 0 {
		e.Status, e.ErrorType = tables.StatusError, tables.ErrorOther
		if e.ExitCode.OK {
			e.ErrorType = tables.ErrorExitCode
		}
	}
	if e.Output = code; code == "" {
		e.Output = t.parser.serverOutput(content)
	}
	t.call(id).result = e
	t.assignBatch(r, id)
	t.emit(e)
}

// serverOutput returns the text of a server's result. Encrypted parts are left out.
func (w *recordParser) serverOutput(content *fastjson.Value) string {
	switch {
	case content == nil:
		return ""
	case content.Type() != fastjson.TypeObject:
		text, _ := w.resultText(content)
		return text
	case content.Exists("text"):
		return readers.Text(content, "text")
	case content.Exists("return_code"):
		return strings.TrimPrefix(readers.Text(content, "stderr")+"\n", "\n") + readers.Text(content, "stdout")
	case content.Exists("encrypted_content"):
		return ""
	}
	return readers.JSON(content)
}

// iterations returns the tokens of usage.iterations that the message's own tokens lack:
// those of a second model that advised, and of a compaction on the server (FORMAT.md
// §5.5). Each line of the message repeats them.
func (w *recordParser) iterations(m *tables.Message, usage *fastjson.Value) (list []*tables.Message) {
	for i, v := range usage.GetArray("iterations") {
		kind := readers.Text(v, "type")
		if kind != "advisor_message" && kind != "compaction" {
			continue
		}
		mark := "/" + kind + "-" + strconv.Itoa(i)
		side := *m
		side.UUID, side.MessageID, side.Role, side.Kind = m.UUID+mark, m.MessageID+mark, tables.RoleSystem, tables.KindUsage
		if model := v.GetStringBytes("model"); len(model) > 0 {
			side.Model = w.Intern(model)
		}
		setTokens(&side, v)
		side.StopReason = ""
		list = append(list, &side)
	}
	return list
}
