package grok

import (
	"strings"
	"testing"
	"time"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

// asSubagent marks the log of a forgery as a subagent's session.
const asSubagent = "\x00subagent"

// forgedResults returns forgeries in the result of a call that ran: at once after a mode
// or rule allowed it, or after a person did, and with the model's next answer or
// without.
func forgedResults(carrier readertest.Carrier, tool, as string, result func(m *made, words string)) (list []readertest.Forgery) {
	for how, waited := range map[string]time.Duration{"allowed by a rule": time.Millisecond, "allowed by the user": 2 * time.Second} {
		for _, last := range []bool{false, true} {
			name := tool + ", " + as + ", " + how
			if last {
				name += ", last"
			}
			list = append(list, readertest.Forgery{Carrier: carrier, As: name, Log: func(words string) string {
				m := newMade().prompt("go").addAnswer("I call.").call(tool, `{"command":"cat f","questions":[]}`, allowed, waited)
				if result(m, words); last {
					return m.String()
				}
				return m.addAnswer("Done.").done().String()
			}})
		}
	}
	return list
}

func forgeries() []readertest.Forgery {
	said := func(carrier readertest.Carrier, as string, log func(m *made, words string) *made) readertest.Forgery {
		return readertest.Forgery{Carrier: carrier, As: as, Log: func(words string) string { return log(newMade(), words).String() }}
	}
	list := []readertest.Forgery{
		said(readertest.Typed, "a prompt", func(m *made, w string) *made { return m.prompt(w).addAnswer("Yes.").done() }),
		said(readertest.Typed, "while the model works", func(m *made, w string) *made {
			return m.prompt("go").addAnswer("I").update(userChunk, `,"content":`+asTextBlock(w)).addAnswer("Yes.").done()
		}),
		said(readertest.Typed, "the output of a command", func(m *made, w string) *made {
			m.update(userChunk, `,"content":{"type":"text","text":"cat f","_meta":{"bash_command":"cat f"}}`)
			m.update("tool_call", `,"toolCallId":"bash-mode-1","title":"Execute","rawInput":{"command":"cat f"},"_meta":{"bash_mode":true}`)
			m.open = "bash-mode-1"
			return m.result("failed", block(w), `{"type":"Bash","output":[],"exit_code":1}`, "")
		}),
		said(readertest.Attachment, "a file", func(m *made, w string) *made {
			m.prompt("go")
			return m.update(userChunk, `,"content":{"type":"resource","resource":{"uri":"file:///f","text":`+asJSON(w)+`}},"_meta":{"promptIndex":0}`).addAnswer("Yes.").done()
		}),
		said(readertest.HookContext, "an annotation", func(m *made, w string) *made {
			return m.prompt("go").update("hook_annotation", `,"message":`+asJSON(w)).addAnswer("Yes.").done()
		}),
		said(readertest.HookContext, "a reminder", func(m *made, w string) *made { return m.prompt(reminder + "\n" + w).addAnswer("Yes.").done() }),
		said(readertest.SubagentPrompt, "the call", func(m *made, w string) *made {
			return m.prompt("go").addAnswer("I ask.").call("spawn_subagent", `{"description":`+asJSON(w)+`,"prompt":`+asJSON(w)+`}`, allowed, 0)
		}),
		{Carrier: readertest.SubagentPrompt, As: "its own", Log: func(w string) string { return newMade().prompt(w).addAnswer("Yes.").done().String() + asSubagent }},
		{Carrier: readertest.SubagentAnswer, As: "its own", Log: func(w string) string { return newMade().prompt("go").addAnswer(w).done().String() + asSubagent }},
		said(readertest.SubagentAnswer, "its end", func(m *made, w string) *made {
			return m.prompt("go").update("subagent_finished", `,"subagent_id":"x","status":"failed","error":`+asJSON(w)+`,"output":`+asJSON(w)).addAnswer("Yes.").done()
		}),
	}
	ok := func(m *made, w string) {
		m.result("completed", block(w), `{"type":"MCP","text":`+asJSON(w)+`}`, "success")
	}
	two := func(m *made, w string) {
		m.result("completed", block("first")+","+block(w), `{"type":"AskUserQuestion","UserAnswered":{"message":`+asJSON(w)+`}}`, "success")
	}
	failed := func(m *made, w string) { m.result("failed", block(w), "", "error") }
	failedRaw := func(m *made, w string) { m.result("failed", block(w), `{"type":"MCP","is_error":true}`, "error") }
	shell := func(status string) func(m *made, w string) {
		return func(m *made, w string) {
			m.result(status, block(w), `{"type":"Bash","output":[1],"output_for_prompt":`+asJSON("exit: 1\n"+w)+`,"exit_code":1}`, "error")
		}
	}
	for _, tool := range []string{"notes__get", "use_tool", "later_tool"} {
		list = append(list, forgedResults(readertest.MCPText, tool, "ok", ok)...)
		list = append(list, forgedResults(readertest.MCPList, tool, "two parts", two)...)
		list = append(list, forgedResults(readertest.MCPError, tool, "failed", failed)...)
		list = append(list, forgedResults(readertest.MCPError, tool, "failed, with its output", failedRaw)...)
	}
	list = append(list, forgedResults(readertest.FailingCommand, "run_terminal_command", "exit 1", shell("completed"))...)
	list = append(list, forgedResults(readertest.FailingCommand, "run_terminal_command", "killed", shell("failed"))...)
	list = append(list, forgedResults(readertest.FileRead, "read_file", "ok", ok)...)
	list = append(list, forgedResults(readertest.FileRead, "read_file", "failed", failed)...)
	list = append(list, forgedResults(readertest.SubagentAnswer, "spawn_subagent", "ok", ok)...)
	list = append(list, forgedResults(readertest.SubagentAnswer, "spawn_subagent", "failed", failed)...)
	return append(list, forgedResults(readertest.WebPage, "web_fetch", "ok", ok)...)
}

// genuine returns a log in which the program itself wrote a sentence; empty for words
// that decide nothing.
func genuine(words string) string {
	m := newMade().prompt("go").addAnswer("I call.")
	own := `{"type":"AskUserQuestion","UserAnswered":{"message":` + asJSON(words) + `}}`
	switch {
	case strings.HasPrefix(words, answeredStart), strings.HasPrefix(words, answeredByID), strings.HasPrefix(words, declinedStart), strings.HasPrefix(words, clarifyStart), strings.HasPrefix(words, nobodyStart):
		m.call(questionTool, "{}", allowed, 0).wait(time.Second).result("completed", block(words), own, "success")
	case strings.HasPrefix(words, reviseStart), strings.HasPrefix(words, keepPlanning), strings.HasPrefix(words, abandonedStart):
		m.call(planTool, "{}", allowed, 0).wait(time.Second).result("completed", block(words), "", "success")
	case strings.HasPrefix(words, hookStart), strings.HasPrefix(words, planGateStart):
		m.call("write", "{}", "", 0).result("failed", block(words), "", "")
	case isRefusal(words):
		m.call("run_terminal_command", "{}", denied, time.Second).result("failed", block(words), "", "")
	default:
		return ""
	}
	return m.addAnswer("Done.").done().String()
}

// TestForge runs the forgeries of package readertest: text by strangers must never
// count as a decision.
func TestForge(t *testing.T) {
	scripts := "its tools are called by the model only, no script calls them"
	said := "User rejected the execution for tool `run_terminal_command`"
	readertest.Forgeries{
		Reader: Reader, Rel: madeLog,
		Sentences: readertest.Wordings(t, ".",
			said, followupText("run_terminal_command"), followupText("notes__get"), followupText("later_tool"),
			excludedStart+"`x` from future runs in this project for tool `notes__get`", cancelledStart+"notes__get`",
			"Tool `notes__get"+deniedMiddle+policyStart+": deny rule", "Tool `later_tool"+deniedMiddle+autoStart+" (it is odd). Go on.",
			hookStart+"because", answeredStart+`"q"="a". You can now continue`, reviseWords+"because", planClosed+". Plan mode"),
		List:    forgeries(),
		Absent:  map[readertest.Carrier]string{readertest.ScriptText: scripts, readertest.ScriptList: scripts, readertest.ScriptError: scripts},
		Genuine: genuine,
		Load: func(_ *testing.T, logs []string) (all []map[string][]tables.Row) {
			for _, log := range logs {
				files := map[string]string{}
				if own, ok := strings.CutSuffix(log, asSubagent); ok {
					log, files[summaryFile] = own, `{"session_kind":"subagent"}`
				}
				all = append(all, rowsOf(log, files))
			}
			return all
		},
	}.Run(t)
}
