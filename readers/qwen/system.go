package qwen

import (
	"encoding/json"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// systems are the handlers of system lines, by subtype (FORMAT.md §3). Lines of the other
// known subtypes make no rows.
var systems = map[string]func(*log, *record){
	"slash_command":        (*log).command,
	"chat_compression":     (*log).compression,
	"custom_title":         (*log).customTitle,
	"turn_result":          (*log).turnResult,
	"at_command":           (*log).atCommand,
	"attribution_snapshot": (*log).attribution,
	"session_model":        noted("session_model"),
	"session_source":       noted("session_source"),
	"parent_session":       noted("parent_session"),

	// Only a session in a terminal keeps copies of files (FORMAT.md §3).
	"file_history_snapshot": func(l *log, _ *record) { l.terminal = true },

	"rewind": ignore, "branch_checkpoint": ignore, "session_sources_snapshot": ignore,
	"background_task_completed": ignore, "realtime_message": ignore, "omni_recall": ignore, "user_text_elements": ignore,
}

func ignore(*log, *record) {}

// noted returns a handler that keeps the payload of the last such line in the session's
// extra.
func noted(key string) func(*log, *record) {
	return func(l *log, r *record) {
		if v := r.Get("systemPayload"); v != nil {
			l.extra.Set(key, json.RawMessage(readers.JSON(v)))
		}
	}
}

// system handles a system line. It reports whether the subtype is known.
func (l *log) system(r *record) (known bool) {
	if r.subtype == "ui_telemetry" {
		return l.telemetry(r)
	}
	if take := systems[r.subtype]; take != nil {
		take(l, r)
		return true
	}
	return strings.HasPrefix(r.subtype, "goal_") || strings.HasPrefix(r.subtype, "session_artifact_")
}

func (l *log) customTitle(r *record) {
	if title := readers.Text(r.Value, "systemPayload", "customTitle"); title != "" {
		l.title = title
	}
}

// atCommand notes the files that the next prompt names with @.
func (l *log) atCommand(r *record) {
	if files := r.Get("systemPayload", "filesRead"); len(files.GetArray()) > 0 {
		l.files = readers.JSON(files)
	}
}

// attribution takes the program's surface: cli, or another program that runs the agent.
func (l *log) attribution(r *record) {
	if surface := r.GetStringBytes("systemPayload", "snapshot", "surface"); len(surface) > 0 {
		l.session.Origin = l.words.Of(surface)
	}
}

// command handles a slash command: a line when it was typed, a line with what it showed.
// /clear and /quit have no line.
func (l *log) command(r *record) {
	v := r.Get("systemPayload")
	m := &tables.Message{Role: tables.RoleUser, Kind: tables.KindCommand, Text: readers.Text(v, "rawCommand")}
	if readers.Text(v, "phase") == "result" {
		var texts []string
		for _, item := range v.GetArray("outputHistoryItems") {
			if text := readers.Text(item, "text"); text != "" {
				texts = append(texts, text)
			}
		}
		m.Kind, m.Text = tables.KindCommandOutput, strings.Join(texts, "\n")
		if m.Text == "" {
			return
		}
	}
	l.newResponse()
	l.cut = nil
	l.say(r, m, nil)
}

// succeeded is the compressionStatus of a compression that took place (FORMAT.md §6.1).
const succeeded = 1

// compression handles a compression. The file keeps everything before it.
func (l *log) compression(r *record) {
	l.billed = false
	payload := r.Get("systemPayload")
	info := payload.Get("info")
	if status := info.Get("compressionStatus"); status != nil && readers.Int(status) != tables.Some[int64](succeeded) {
		return
	}
	history := payload.GetArray("compressedHistory")
	e := &tables.Compaction{
		UUID:            r.id,
		Trigger:         triggerOf(readers.Text(info, "triggerReason")),
		PreTokens:       readers.Count(info, "originalTokenCount"),
		PostTokens:      readers.Count(info, "newTokenCount"),
		TokensEstimated: info.GetBool("newTokenCountIsEstimated") || info.GetBool("originalTokenCountIsEstimated"),
		SummarySource:   tables.SummaryNone,
		Timestamp:       r.at,
	}
	e.LogicalParentUUID = r.above
	if len(history) > 0 {
		e.Summary, e.PreservedUUIDs = textOf(history[0]), l.preserved(history[1:])
	}
	if e.Summary != "" {
		e.SummarySource = tables.SummaryInline
	}
	c := &content{}
	c.extra.Text("trigger_reason", readers.Text(info, "triggerReason"))
	l.say(r, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: e.Summary}, c)
	l.in.Emit(e)
}

// triggerOf returns who asked for a compression.
func triggerOf(reason string) string {
	switch reason {
	case "", "manual":
		return reason
	}
	return "auto"
}

func textOf(message *fastjson.Value) string {
	var texts []string
	for _, p := range message.GetArray("parts") {
		if text := readers.Text(p, "text"); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// preserved returns the messages that the model still gets after a compression, as far as
// their calls name them. Messages without calls can't be recognised.
func (l *log) preserved(history []*fastjson.Value) (uuids []string) {
	for _, message := range history {
		for _, p := range message.GetArray("parts") {
			if c := l.calls[readers.Text(p, "functionCall", "id")]; c != nil && p.Exists("functionCall") {
				uuids = append(uuids, c.of.uuid)
			}
			if c := l.calls[readers.Text(p, "functionResponse", "id")]; c != nil && p.Exists("functionResponse") && c.result != "" {
				uuids = append(uuids, c.result)
			}
		}
	}
	return uuids
}
