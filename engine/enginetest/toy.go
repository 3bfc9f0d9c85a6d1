package enginetest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Toy reads a made-up log: a session line, and then one object a line, see emit. A log
// may also imitate failures of real logs: an error ("fail"), a panic ("panic"), a
// result without a call ("unjoined"). It may read a file beside the log ("beside",
// "exists").
func Toy() *readers.Reader {
	return &readers.Reader{
		Agent:   "toy",
		Title:   "Toy",
		Version: 1,
		Roots:   func(h readers.Host) []string { return []string{h.Home} },
		Under:   []string{"logs"},
		IsLog:   func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") },
		Read:    read,
	}
}

func read(in *readers.Input) error {
	opened := false
	var failed error
	var kinds readers.Kinds
	defer func() { kinds.Emit(in.Emit) }()
	err := readers.JSONLines(in, nil, func(v *fastjson.Value, line readers.Line) {
		kinds.Count("line", true, "1.0", time.Time{})
		if !opened && !v.Exists("session") {
			in.Emit(&tables.Session{SessionID: strings.TrimSuffix(path.Base(in.Rel), ".jsonl"), Kind: tables.SessionMain})
		}
		opened = true
		if text := readers.Text(v, "fail"); text != "" {
			failed = errors.New(text)
		} else if text := readers.Text(v, "panic"); text != "" {
			panic(text)
		} else if v.GetBool("unjoined") {
			in.Emit((*tables.ToolResult)(nil))
		} else if !emitBeside(in, v, line.Number) {
			emit(in.Emit, v, line.Number)
		}
	})
	return errors.Join(err, failed)
}

// emitBeside emits the text of a file beside the log, or whether the file exists, if
// the line asks for a file.
func emitBeside(in *readers.Input, v *fastjson.Value, line int64) bool {
	message := func(rel, text string) {
		in.Emit(&tables.Message{UUID: rel, Role: tables.RoleUser, Kind: tables.KindPrompt, Text: text, Line: line})
	}
	if rel := readers.Text(v, "beside"); rel != "" {
		data, err := in.ReadFile(rel)
		if errors.Is(err, fs.ErrNotExist) {
			data = []byte("none")
		}
		message(rel, string(data))
		return true
	}
	rel := readers.Text(v, "exists")
	if rel != "" {
		message(rel, fmt.Sprint(in.Exists(rel)))
	}
	return rel != ""
}

// emit emits the events of a line: a session, a clear, or a fact about a session in
// another log. Any other line is a message. It may also hold a call, a refusal or a
// stop.
func emit(out func(tables.Event), v *fastjson.Value, line int64) {
	if v.Exists("ordinal") {
		out(&tables.Numbering{Line: line, Ordinal: v.GetInt64("ordinal")})
	}
	at, _ := time.Parse(time.RFC3339, readers.Text(v, "at"))
	if emitShared(out, v, at) || emitSession(out, v) || emitClear(out, v, at) {
		return
	}
	emitMessage(out, v, at, line)
	emitCall(out, v, at, line)
	emitRefusal(out, v, at)
}

func emitSession(out func(tables.Event), v *fastjson.Value) bool {
	id := readers.Text(v, "session")
	if id != "" {
		kind := tables.SessionMain
		if k := readers.Text(v, "kind"); k != "" {
			kind = k
		}
		out(&tables.Session{
			SessionID: id, Kind: kind, ParentSessionID: readers.Text(v, "parent"), Project: readers.Text(v, "project"), Origin: readers.Text(v, "origin"),
			Continues: readers.Text(v, "continues"), ContinuesAt: v.GetInt64("from"), ForkedFrom: readers.Text(v, "forked"),
			GitRemote: readers.Text(v, "remote"), Extra: readers.Text(v, "extra"),
		})
	}
	return id != ""
}

func emitClear(out func(tables.Event), v *fastjson.Value, at time.Time) bool {
	if id := readers.Text(v, "cleared"); id != "" {
		out(&tables.Clear{
			UUID: readers.Text(v, "id"), SessionID: id, NextSessionID: readers.Text(v, "next"), Trigger: tables.ClearByCommand,
			Timestamp: at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
		})
		return true
	}
	if evidence := readers.Text(v, "trace"); evidence != "" {
		out(&tables.Clear{
			UUID: readers.Text(v, "id"), SessionID: readers.Text(v, "of"), NextSessionID: readers.Text(v, "next"), Trigger: tables.ClearByCommand,
			Project: readers.Text(v, "project"), Timestamp: at, Evidence: evidence, Confidence: 1,
		})
		return true
	}
	if id := readers.Text(v, "made"); id != "" {
		out(&tables.Clear{NextSessionID: id, Trigger: tables.ClearByCommand, Timestamp: at, Evidence: tables.EvidenceInferred, Confidence: 0.25})
		return true
	}
	if id := readers.Text(v, "ended"); id != "" {
		out(&tables.Clear{SessionID: id, Trigger: tables.ClearByCommand, Timestamp: at, Evidence: tables.EvidenceInferred, Confidence: 0.25})
		return true
	}
	if id := readers.Text(v, "planned"); id != "" {
		out(&tables.Clear{
			UUID: readers.Text(v, "id"), NextSessionID: id, Trigger: tables.ClearByPlan, Project: readers.Text(v, "project"),
			Timestamp: at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
		})
		return true
	}
	return false
}

// emitShared emits a line's facts about sessions in other logs.
func emitShared(out func(tables.Event), v *fastjson.Value, at time.Time) bool {
	project := readers.Text(v, "project")
	switch readers.Text(v, "shared") {
	case "clear": // a line of a prompt history
		out(&tables.Clear{SessionID: readers.Text(v, "of"), Trigger: tables.ClearByCommand, Command: "/clear", Project: project, Timestamp: at, Evidence: tables.EvidenceHistory, Confidence: 1})
	case "began": // the first prompt after a clear
		out(&tables.Clear{NextPrompt: readers.Text(v, "text"), Trigger: tables.ClearByCommand, Project: project, Evidence: tables.EvidenceInferred, Confidence: 0.6})
	case "prompt":
		out(&tables.Prompt{SessionID: readers.Text(v, "of"), Text: readers.Text(v, "text"), Timestamp: at})
	case "title":
		out(&tables.SessionNote{SessionID: readers.Text(v, "of"), Title: readers.Text(v, "text")})
	default:
		return false
	}
	return true
}

func emitMessage(out func(tables.Event), v *fastjson.Value, at time.Time, line int64) {
	m := &tables.Message{
		UUID: readers.Text(v, "id"), MessageID: readers.Text(v, "message_id"), Role: tables.RoleUser, Kind: tables.KindPrompt,
		Text: readers.Text(v, "text"), Timestamp: at, Line: line,
	}
	if n := v.GetInt64("tokens"); n > 0 {
		m.Role, m.Kind, m.OutputTokens = tables.RoleAssistant, tables.KindResponse, tables.Some(n)
		m.TokensReliable, m.Model = tables.Some(!v.GetBool("started")), readers.Text(v, "model")
		if v.GetBool("of_many") {
			m.Role, m.Kind, m.Text = tables.RoleSystem, tables.KindUsage, ""
		}
		for key, count := range map[string]*tables.Maybe[int64]{"read": &m.InputTokens, "cached": &m.CacheReadTokens, "written": &m.CacheWriteTokens, "hour": &m.CacheWrite1h} {
			if v.Exists(key) {
				*count = tables.Some(v.GetInt64(key))
			}
		}
	}
	out(m)
}

func emitCall(out func(tables.Event), v *fastjson.Value, at time.Time, line int64) {
	if id := readers.Text(v, "call"); id != "" {
		c := &tables.ToolCall{ToolUseID: id, ToolName: "run", ToolKind: tables.ToolCommand, Command: "make", Input: `{"a":1}`, Timestamp: at, Line: line}
		if v.GetBool("plan") {
			c.ToolName, c.ToolKind, c.Command = "plan", tables.ToolPlan, ""
		}
		out(c)
	}
	if id := readers.Text(v, "started"); id != "" {
		out(&tables.ToolResult{ToolUseID: readers.Text(v, "call"), Status: tables.StatusOK, SubagentSessionID: id, Timestamp: at})
	}
}

func emitRefusal(out func(tables.Event), v *fastjson.Value, at time.Time) {
	if id := readers.Text(v, "refused"); id != "" {
		out(&tables.ToolResult{ToolUseID: id, Status: tables.StatusRejected, Timestamp: at})
		reason := "no"
		if v.Exists("reason") {
			reason = readers.Text(v, "reason")
		}
		evidence, confidence := evidenceOf(v)
		out(&tables.Rejection{ToolUseID: id, DecidedBy: tables.ByUser, Reason: reason, Evidence: evidence, Confidence: confidence, Timestamp: at})
	}
	if v.GetBool("stopped") {
		evidence, confidence := evidenceOf(v)
		out(&tables.Interruption{Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Evidence: evidence, Confidence: confidence, Timestamp: at})
	}
}

// evidenceOf returns how a refusal or stop is known: recorded, unless the line says
// otherwise.
func evidenceOf(v *fastjson.Value) (evidence string, confidence float64) {
	if evidence = readers.Text(v, "evidence"); evidence != "" {
		return evidence, v.GetFloat64("confidence")
	}
	return tables.EvidenceRecorded, 1
}

// Line returns a toy message, with ids and times made from a number.
func Line(n int, more string) string {
	return fmt.Sprintf(`{"id":"u%d","at":"2026-01-01T00:00:%02dZ","text":"text %d"%s}`+"\n", n, n%60, n, more)
}

// Guessed returns the log of a session with five refusals and five stops. Two of each
// have evidence that makes is_inferred false; three are only inferred. Each refusal's
// reason has the number of its call.
func Guessed() []string {
	n := 1
	lines := []string{`{"session":"s","project":"/p"}` + "\n"}
	for _, of := range []string{
		`"evidence":"recorded","confidence":0.5`, `"evidence":"wording","confidence":0.9`,
		`"evidence":"wording","confidence":0.89`, `"evidence":"inferred","confidence":0.7`, `"evidence":"text","confidence":0.3`,
	} {
		lines = append(lines, Line(n, fmt.Sprintf(`,"call":"c%d"`, n)), Line(n+1, fmt.Sprintf(`,"refused":"c%d","reason":"because %[1]d",%s`, n, of)), Line(n+2, `,"stopped":true,`+of))
		n += 3
	}
	return lines
}
