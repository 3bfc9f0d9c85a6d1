package claude

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/readers/readertest"
)

// claudeLine is a line of a log without uuid, parent and time.
type claudeLine struct{ kind, fields string }

// claudeLog returns a log in which each line's parent is the line before.
func claudeLog(version string, lines ...claudeLine) string {
	var out strings.Builder
	parent := "null"
	for i, l := range lines {
		fmt.Fprintf(&out, `{"type":%q,"uuid":"u%d","parentUuid":%s,"version":%q,"timestamp":"2026-03-02T09:00:%02d.000Z",%s}`+"\n", l.kind, i, parent, version, i, l.fields)
		parent = fmt.Sprintf(`"u%d"`, i)
	}
	return out.String()
}

func userLine(content, more string) claudeLine {
	return claudeLine{"user", `"message":{"role":"user","content":` + content + `}` + more}
}

var (
	claudeGo   = userLine(`"go on"`, "")
	claudeDone = claudeLine{"assistant", `"message":{"role":"assistant","id":"m2","model":"x","content":[{"type":"text","text":"Done."}]}`}
)

func claudeCall(tool, input string) claudeLine {
	return claudeLine{"assistant", fmt.Sprintf(`"message":{"role":"assistant","id":"m1","model":"x","content":[{"type":"tool_use","id":"t1","name":%q,"input":%s}]}`, tool, input)}
}

func claudeResult(content string, isError bool, detail string) claudeLine {
	return userLine(fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"t1","is_error":%v,"content":%s}]`, isError, content), `,"toolUseResult":`+detail)
}

// Versions before and after results were framed, and versions that stamp denials.
var (
	claudeVersions = []string{"1.0.98", "2.0.60", "2.1.97", "2.1.203", "2.1.204", "2.1.330"}
	claudeStamped  = []string{"2.1.204", "2.1.330"}
)

// claudeResults returns the forgeries of a tool's output by version, both at the end of
// the log and before other lines.
func claudeResults(carrier readertest.Carrier, tool string, versions []string, isError bool, content, detail func(string) string) []readertest.Forgery {
	var list []readertest.Forgery
	for _, version := range versions {
		made := func(words string) []claudeLine {
			return []claudeLine{claudeGo, claudeCall(tool, "{}"), claudeResult(content(words), isError, detail(words)), claudeDone}
		}
		as := fmt.Sprintf("%s, %s, error %v", version, tool, isError)
		list = append(list,
			readertest.Forgery{Carrier: carrier, As: as, Log: func(words string) string { return claudeLog(version, made(words)...) }},
			readertest.Forgery{Carrier: carrier, As: as + ", last", Log: func(words string) string { return claudeLog(version, made(words)[:3]...) }})
	}
	return list
}

// claudeProgress is a line of an MCP tool's call while it runs.
func claudeProgress(id string) claudeLine {
	return claudeLine{"progress", fmt.Sprintf(`"data":{"type":"mcp_progress","status":"started"},"toolUseID":%[1]q,"parentToolUseID":%[1]q`, id)}
}

// claudeInProgress returns the forgeries of an MCP server's error in a log with progress of
// MCP tools' calls: of this call, too, or in versions in which that proves nothing.
func claudeInProgress() []readertest.Forgery {
	var list []readertest.Forgery
	for version, own := range map[string]bool{"2.1.11": false, "2.1.12": true, "2.1.23": true, "2.1.80": true, "2.1.81": false, "2.1.203": false, "2.1.330": false} {
		list = append(list, readertest.Forgery{Carrier: readertest.MCPError, As: version + ", in progress", Log: func(words string) string {
			lines := []claudeLine{claudeGo, claudeCall("mcp__evil__tool", "{}"), claudeProgress("t0")}
			if own {
				lines = append(lines, claudeProgress("t1"))
			}
			return claudeLog(version, append(lines, claudeResult(quoted(words), true, quoted("Error: "+words)), claudeDone)...)
		}})
	}
	return list
}

const claudeAgentFile = "projects/x/5e550001-0000-4000-8000-000000000001/subagents/agent-a1.jsonl"

// claudeSaid returns the forgeries in typed, injected and attached text.
func claudeSaid(version string) []readertest.Forgery {
	one := func(carrier readertest.Carrier, as, rel string, lines func(words string) []claudeLine) readertest.Forgery {
		return readertest.Forgery{Carrier: carrier, As: version + ", " + as, Rel: rel, Log: func(words string) string { return claudeLog(version, lines(quoted(words))...) }}
	}
	typed := func(as, content, more string) readertest.Forgery {
		return one(readertest.Typed, as, "", func(words string) []claudeLine {
			return []claudeLine{claudeGo, claudeDone, userLine(strings.ReplaceAll(content, "%s", words), more), claudeDone}
		})
	}
	attached := func(carrier readertest.Carrier, as, fields string) readertest.Forgery {
		return one(carrier, as, "", func(words string) []claudeLine {
			return []claudeLine{claudeGo, {"attachment", `"attachment":` + strings.ReplaceAll(fields, "%s", words)}, claudeDone}
		})
	}
	const block = `[{"type":"text","text":%s}]`
	return []readertest.Forgery{
		typed("a string", `%s`, ""),
		typed("a string, typed", `%s`, `,"promptSource":"typed"`),
		typed("a block, typed", block, `,"promptSource":"typed"`),
		typed("a block by a person", block, `,"origin":{"kind":"human"}`),
		typed("a block with a mode", block, `,"permissionMode":"default"`),
		typed("pasted behind a prompt", `[{"type":"text","text":"look:"},{"type":"text","text":%s}]`, ""),
		attached(readertest.Typed, "queued", `{"type":"queued_command","prompt":%s,"commandMode":"prompt"}`),
		attached(readertest.Attachment, "a file", `{"type":"file","filename":"f","content":{"type":"text","file":{"filePath":"f","content":%s}}}`),
		attached(readertest.Attachment, "an edited file", `{"type":"edited_text_file","filename":"f","snippet":%s}`),
		attached(readertest.HookContext, "an attachment", `{"type":"hook_additional_context","hookName":"UserPromptSubmit","hookEvent":"UserPromptSubmit","toolUseID":"h1","content":[%s]}`),
		attached(readertest.HookContext, "one that worked", `{"type":"hook_success","hookName":"PreToolUse:Bash","hookEvent":"PreToolUse","toolUseID":"t1","content":%s,"stdout":%s,"exitCode":0}`),
		one(readertest.HookContext, "injected", "", func(words string) []claudeLine {
			return []claudeLine{claudeGo, userLine(`[{"type":"text","text":`+words+`}]`, `,"isMeta":true`), claudeDone}
		}),
		one(readertest.SubagentPrompt, "a string", claudeAgentFile, func(words string) []claudeLine {
			return []claudeLine{userLine(words, `,"isSidechain":true,"agentId":"a1"`), claudeDone}
		}),
		one(readertest.SubagentPrompt, "a block", claudeAgentFile, func(words string) []claudeLine {
			return []claudeLine{userLine(`[{"type":"text","text":`+words+`}]`, `,"isSidechain":true,"agentId":"a1"`), claudeDone}
		}),
		one(readertest.SubagentPrompt, "the call", "", func(words string) []claudeLine {
			return []claudeLine{claudeGo, claudeCall("Task", `{"prompt":`+words+`}`)}
		}),
		one(readertest.SubagentAnswer, "its log", claudeAgentFile, func(words string) []claudeLine {
			return []claudeLine{userLine(`"go"`, `,"isSidechain":true,"agentId":"a1"`), {"assistant", `"isSidechain":true,"message":{"role":"assistant","id":"m2","model":"x","content":[{"type":"text","text":` + words + `}]}`}}
		}),
	}
}

func claudeForgeries() []readertest.Forgery {
	text := func(words string) string { return quoted(words) }
	list := func(words string) string { return `[{"type":"text","text":` + quoted(words) + `}]` }
	failed := func(words string) string { return quoted("Error: " + words) }
	bare := func(string) string { return `{}` }
	shell := func(words string) string { return quoted("Exit code 1\n" + words) }
	printed := func(words string) string { return `{"stdout":` + quoted(words) + `,"stderr":"","interrupted":false}` }
	var all []readertest.Forgery
	for _, tool := range []string{"mcp__evil__tool", "ReadMcpResourceTool"} {
		all = append(all, claudeResults(readertest.MCPText, tool, claudeVersions, false, text, text)...)
		all = append(all, claudeResults(readertest.MCPList, tool, claudeVersions, false, list, list)...)
		all = append(all, claudeResults(readertest.MCPError, tool, claudeVersions, true, text, failed)...)
		all = append(all, claudeResults(readertest.MCPError, tool+" as a list", claudeVersions, true, list, failed)...)
	}
	all = append(all, claudeInProgress()...)
	// Scripts came after denials were stamped.
	all = append(all, claudeResults(readertest.ScriptText, "Script", claudeStamped, false, text, text)...)
	all = append(all, claudeResults(readertest.ScriptList, "Script", claudeStamped, false, list, list)...)
	all = append(all, claudeResults(readertest.ScriptError, "Script", claudeStamped, true, text, failed)...)
	all = append(all, claudeResults(readertest.FailingCommand, "Bash", claudeVersions, true, shell, func(words string) string { return quoted("Error: Exit code 1\n" + words) })...)
	all = append(all, claudeResults(readertest.FailingCommand, "Bash", claudeVersions, false, text, printed)...)
	all = append(all, claudeResults(readertest.FileRead, "Read", claudeVersions, false, text, bare)...)
	for _, tool := range []string{"Task", "Agent"} {
		all = append(all, claudeResults(readertest.SubagentAnswer, tool, claudeVersions, false, list, bare)...)
	}
	all = append(all, claudeResults(readertest.WebPage, "WebFetch", claudeVersions, false, text, bare)...)
	for _, version := range []string{"2.1.97", "2.1.330"} {
		all = append(all, claudeSaid(version)...)
	}
	return all
}

// TestForge tests that text from strangers is data.
func TestForge(t *testing.T) {
	known := sentences(t)
	own := map[string]string{}
	var composed []string
	for words, w := range known {
		composed = append(composed, words)
		if w.by != "" && !strings.Contains(words, wasRunning) {
			own[words] = conversation{text: words}.log()
		}
	}
	for _, words := range []string{interruptPlain, interruptTool} {
		own[words] = claudeLog("2.1.97", claudeGo, userLine(`[{"type":"text","text":`+quoted(words)+`}]`, ""))
	}
	readertest.Forgeries{
		Reader: Reader, Rel: "projects/x/5e550001-0000-4000-8000-000000000001.jsonl",
		Sentences: readertest.Wordings(t, ".", append(composed, interruptPlain, interruptTool)...),
		List:      claudeForgeries(),
		Genuine:   func(words string) string { return own[words] },
	}.Run(t)
}
