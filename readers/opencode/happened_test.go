package opencode_test

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/tables"
)

// sessionRows holds one session's rows by table.
type sessionRows map[string][]tables.Row

// loadAll loads all logs and their parts below roots.
func loadAll(t testing.TB, r *readers.Reader, roots ...string) map[string]sessionRows {
	t.Helper()
	var places []readers.Place
	for _, root := range roots {
		places = append(places, readers.Place{Path: root, From: "test"})
	}
	logs, err := r.Find(places)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]sessionRows{}
	for _, log := range logs {
		src := tables.Source{Agent: r.Agent, Path: log.Path}
		addRows(all, r.Load(log, src))
		if r.Parts == nil {
			continue
		}
		parts, _, err := r.List(log)
		if err != nil {
			continue // loading the log reported the error
		}
		for _, p := range parts {
			src.Part, src.Stamp = p.Name, p.Stamp
			addRows(all, r.Load(log, src))
		}
	}
	return all
}

// addRows adds the rows of a file under its session's id, or under "".
func addRows(all map[string]sessionRows, f *tables.File) {
	b := tables.NewBatch(nil)
	defer b.Release()
	f.AppendTo(b)
	rows, id := sessionRows{}, ""
	for _, table := range tables.All() {
		if table.Loaded() {
			rows[table.Name] = b.Rows(table)
		}
	}
	for _, s := range rows["sessions"] {
		id = fmt.Sprint(s["session_id"])
	}
	if all[id] == nil {
		all[id] = sessionRows{}
	}
	for table, list := range rows {
		all[id][table] = append(all[id][table], list...)
	}
}

// happened summarizes a session's rows: prompts and commands, results of calls, stops,
// errors, compactions, and the session's origin.
func (rows sessionRows) happened() (list []string) {
	prompts, gone := 0, 0
	for _, m := range rows["messages"] {
		switch m["kind"] {
		case tables.KindPrompt:
			prompts++
		case tables.KindCommand, tables.KindError:
			list = append(list, fmt.Sprintf("%s of %d bytes", m["kind"], size(m["text"])))
		}
		if m["is_active"] == false {
			gone++
		}
	}
	if prompts == 1 {
		list = append(list, "1 prompt")
	} else {
		list = append(list, fmt.Sprintf("%d prompts", prompts))
	}
	if gone > 0 {
		list = append(list, fmt.Sprintf("%d messages undone", gone))
	}
	for _, c := range rows["tool_calls"] {
		list = append(list, rows.call(c))
	}
	for _, i := range rows["interruptions"] {
		text := fmt.Sprintf("%s stop, %s", i["type"], i["phase"])
		if n := size(i["partial_output"]); n > 0 {
			text += fmt.Sprintf(", %d bytes said", n)
		}
		list = append(list, text)
	}
	for _, c := range rows["compactions"] {
		list = append(list, fmt.Sprintf("%v compaction of %v tokens to %d bytes", c["trigger"], c["pre_tokens"], size(c["summary"])))
	}
	for _, f := range rows["fork_marks"] {
		list = append(list, "fork of "+end(f["forked_from"]))
	}
	for _, s := range rows["sessions"] {
		if s["parent_session_id"] != nil {
			list = append(list, fmt.Sprintf("%s of %s", s["kind"], end(s["parent_session_id"])))
		}
	}
	for _, p := range rows["problems"] {
		list = append(list, fmt.Sprint("problem: ", p["what"]))
	}
	return list
}

// end returns the end of an id.
func end(id any) string {
	s := fmt.Sprint(id)
	return s[max(0, len(s)-12):]
}

// size returns the length of a text, because tests must not contain the texts of real
// logs.
func size(text any) int {
	s, _ := text.(string)
	return len(s)
}

// call describes a call's result and the refuser.
func (rows sessionRows) call(c tables.Row) string {
	text := fmt.Sprint(c["tool_name"], " ", c["status"])
	if code, ok := c["exit_code"]; ok {
		text += fmt.Sprint(" ", code)
	}
	if why, ok := c["error_type"]; ok {
		text += fmt.Sprint(" ", why)
	}
	if child, ok := c["subagent_session_id"]; ok {
		text += " as " + end(child)
	}
	for _, r := range rows["rejections"] {
		switch {
		case r["tool_use_id"] != c["tool_use_id"]:
			continue
		case r["cascaded"] == true:
			text += " with " + rows.place(r["cause_tool_use_id"])
		default:
			text += fmt.Sprintf(" %v by %v", r["rejection_type"], r["decided_by"])
		}
		if r["reason"] != nil {
			text += fmt.Sprintf(", %d bytes of reason", size(r["reason"]))
		}
		if r["evidence"] != tables.EvidenceRecorded {
			text += fmt.Sprintf(" (%v %v)", r["evidence"], r["confidence"])
		}
	}
	return strings.TrimSpace(text)
}

// place returns a call's 1-based place in the session.
func (rows sessionRows) place(id any) string {
	for i, c := range rows["tool_calls"] {
		if c["tool_use_id"] == id {
			return fmt.Sprint("call ", i+1)
		}
	}
	return "a call that isn't there"
}
