package vscode

import (
	"cmp"
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// partKinds lists the kinds of response parts (FORMAT.md §3.2). Parts of some kinds
// become no row and are only counted.
var partKinds = readers.SetOf(`markdown toolInvocationSerialized toolInvocation prepareToolInvocation thinking textEditGroup notebookEditGroup
	codeblockUri undoStop inlineReference progressMessage progressTaskSerialized systemNotification mcpServersStarting
	confirmation elicitationSerialized elicitation questionCarousel planReview hook info warning command externalEdit
	workspaceEdit multiDiffData treeData pullRequest extensions autoModeResolution clearToPreviousToolInvocation
	disabledClaudeHooks markdownVuln markdownContent`)

// item is a part of an answer: text, thinking, a tool call or an edit.
type item struct {
	text, thinking string
	tool           *part
	edit           bool // a change to a file, made by the call before it
}

// readParts reads the parts of an answer, in order.
func (c *chat) readParts(r *request, list []*fastjson.Value) []item {
	var shown []item
	for _, v := range list {
		kind := readers.Text(v, "kind")
		if kind == "" && (v.Type() == fastjson.TypeString || v.Exists("value")) {
			kind = "markdown"
		}
		c.kinds.Count("response content/"+cmp.Or(kind, "(no kind)"), partKinds[kind], "", noTime)
		switch kind {
		case "markdown", "markdownContent", "markdownVuln":
			if c.base.path == "" {
				c.base = readLocation(v.Get("baseUri"))
			}
			if text := markdown(v); strings.Trim(text, "` \r\n\t") != "" { // fences stand around edits
				shown = append(shown, item{text: text})
			}
		case "inlineReference":
			shown = append(shown, item{text: referenceText(v)})
		case "thinking":
			shown = append(shown, item{thinking: joinTexts(v.Get("value"))})
		case "textEditGroup", "notebookEditGroup", "workspaceEdit":
			shown = append(shown, item{edit: true})
		case "toolInvocationSerialized", "toolInvocation":
			shown = append(shown, item{tool: c.readToolPart(v)})
		case "elicitationSerialized", "elicitation":
			// A question that VS Code or a tool asked the user, with the answer. It isn't about
			// whether a call may run.
			text := tables.JoinText(markdown(v.Get("title")), markdown(v.Get("message")))
			c.addNotice(r, "elicitation", tables.JoinText(text, readers.Text(v, "state")))
		case "hook":
			r.hasHook = true
			c.addNotice(r, kind, cmp.Or(readers.Text(v, "stopReason"), readers.Text(v, "systemMessage")))
		case "info", "warning", "systemNotification":
			c.addNotice(r, kind, cmp.Or(markdown(v.Get("content")), markdown(v.Get("message")), markdown(v)))
		case "progressTaskSerialized":
			if text := markdown(v.Get("content")); text == "Summarized conversation history" || text == "Compacted conversation" {
				r.compacted = true
			}
		}
	}
	return shown
}

// markdown returns a text, or the value of a markdown object.
func markdown(v *fastjson.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Type() == fastjson.TypeString:
		return readers.Text(v)
	case v.Get("value").GetObject() != nil:
		return readers.Text(v, "value", "value")
	}
	return cmp.Or(readers.Text(v, "value"), readers.Text(v, "content", "value"))
}

// referenceText returns a link to a file or symbol, as the user sees it.
func referenceText(v *fastjson.Value) string {
	to := v.Get("inlineReference")
	name := cmp.Or(readers.Text(v, "name"), readers.Text(to, "name"), path.Base(readers.Text(to, "path")))
	if name == "." {
		name = path.Base(readers.Text(to, "uri", "path"))
	}
	return "`" + name + "`"
}

// addNotice keeps a message that VS Code showed to the user in the middle of an answer.
func (c *chat) addNotice(r *request, kind, text string) {
	if text == "" {
		return
	}
	r.notices = append(r.notices, &tables.Message{
		Role:      tables.RoleSystem,
		Kind:      tables.KindNotice,
		Text:      text,
		Timestamp: r.started,
		RequestID: r.id,
		Line:      r.line,
		Extra:     readers.Object(map[string]any{"part": kind}),
	})
}
