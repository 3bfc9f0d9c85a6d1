package qwen

import (
	"cmp"
	"encoding/json"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// systemHandlers are the handlers of system lines, by subtype (FORMAT.md §3). Lines of
// the other known subtypes make no rows.
var systemHandlers = map[string]func(*log, *record){
	"slash_command":        (*log).handleCommand,
	compression:            (*log).handleCompression,
	"custom_title":         (*log).setTitle,
	"turn_result":          (*log).handleTurnResult,
	"at_command":           (*log).setReferencedFiles,
	"attribution_snapshot": (*log).setOrigin,
	"session_model":        payloadToExtra("session_model"),
	"session_source":       payloadToExtra("session_source"),
	"parent_session":       payloadToExtra("parent_session"),

	// Only a session in a terminal keeps copies of files (FORMAT.md §3).
	"file_history_snapshot": func(l *log, _ *record) { l.terminal = true },

	"rewind": ignore, "branch_checkpoint": ignore, "session_sources_snapshot": ignore,
	"background_task_completed": ignore, "realtime_message": ignore, "omni_recall": ignore, "user_text_elements": ignore,
}

const compression = "chat_compression"

func ignore(*log, *record) {}

// payloadToExtra returns a handler that keeps the payload of the last such line in the
// session's extra.
func payloadToExtra(key string) func(*log, *record) {
	return func(l *log, r *record) {
		if v := r.Get("systemPayload"); v != nil {
			l.extra.Set(key, json.RawMessage(readers.JSON(v)))
		}
	}
}

// handleSystem handles a system line. It reports whether the subtype is known.
func (l *log) handleSystem(r *record) (known bool) {
	if r.subtype == "ui_telemetry" {
		return l.handleTelemetry(r)
	}
	if handler := systemHandlers[r.subtype]; handler != nil {
		handler(l, r)
		return true
	}
	return strings.HasPrefix(r.subtype, "goal_") || strings.HasPrefix(r.subtype, "session_artifact_")
}

func (l *log) setTitle(r *record) {
	l.title = cmp.Or(readers.Text(r.Value, "systemPayload", "customTitle"), l.title)
}

// setReferencedFiles keeps the files that the next prompt names with @.
func (l *log) setReferencedFiles(r *record) {
	if files := r.Get("systemPayload", "filesRead"); len(files.GetArray()) > 0 {
		l.files = readers.JSON(files)
	}
}

// setOrigin records the program's surface: cli, or another program that runs the agent.
func (l *log) setOrigin(r *record) {
	if surface := r.GetStringBytes("systemPayload", "snapshot", "surface"); len(surface) > 0 {
		l.session.Origin = l.words.Intern(surface)
	}
}

// handleCommand handles a slash command: a line when it was typed, a line with what it
// showed. /clear and /quit have no line.
func (l *log) handleCommand(r *record) {
	v := r.Get("systemPayload")
	m := &tables.Message{Role: tables.RoleUser, Kind: tables.KindCommand, Text: readers.Text(v, "rawCommand")}
	if readers.Text(v, "phase") == "result" {
		m.Kind, m.Text = tables.KindCommandOutput, joinTexts(v.GetArray("outputHistoryItems"))
		if m.Text == "" {
			return
		}
	}
	l.newResponse()
	l.stoppedAnswer = nil
	l.emitMessage(r, m, nil)
}

// succeeded is the compressionStatus of a compression that took place (FORMAT.md §6.1).
const succeeded = 1

// handleCompression handles a compression. The file keeps everything before it.
func (l *log) handleCompression(r *record) {
	l.tokensRecorded = false
	payload := r.Get("systemPayload")
	info := payload.Get("info")
	if status := info.Get("compressionStatus"); status != nil && readers.Int(status) != tables.Some[int64](succeeded) {
		return
	}
	history := payload.GetArray("compressedHistory")
	e := &tables.Compaction{
		UUID:            r.id,
		Trigger:         readers.TriggerOf(readers.Text(info, "triggerReason")),
		PreTokens:       readers.Count(info, "originalTokenCount"),
		PostTokens:      readers.Count(info, "newTokenCount"),
		TokensEstimated: info.GetBool("newTokenCountIsEstimated") || info.GetBool("originalTokenCountIsEstimated"),
		SummarySource:   tables.SummaryNone,
		Timestamp:       r.at,
	}
	e.LogicalParentUUID = r.above
	if len(history) > 0 {
		e.Summary, e.PreservedUUIDs = joinTexts(history[0].GetArray("parts")), l.preservedUUIDs(history[1:])
	}
	if e.Summary != "" {
		e.SummarySource = tables.SummaryInline
	}
	var extra readers.Extra
	extra.Text("trigger_reason", readers.Text(info, "triggerReason"))
	l.emitMessage(r, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: e.Summary}, extra)
	l.in.Emit(e)
}

// joinTexts returns the texts of parts, or of items that a command showed.
func joinTexts(parts []*fastjson.Value) string {
	var texts []string
	for _, p := range parts {
		if text := readers.Text(p, "text"); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// preservedUUIDs returns the messages that the model still gets after a compression, as
// far as their calls name them. Messages without calls can't be recognised.
func (l *log) preservedUUIDs(history []*fastjson.Value) (uuids []string) {
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
