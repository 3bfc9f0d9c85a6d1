package vscode

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// state is how a request ended (modelState.value).
type state int64

const (
	pending state = iota
	complete
	cancelled
	failed
	needsInput
)

var stateWords = map[state]string{pending: "pending", cancelled: "cancelled", failed: "failed", needsInput: "needs_input"}

// isUnfinished reports whether the request still ran when the file was last saved,
// because the window was closed or crashed.
func (s state) isUnfinished() bool { return s == pending || s == needsInput }

// request is one turn: the user's question and the whole answer.
type request struct {
	id, uuid       string
	line           int64
	removed        bool // retried, undone or edited away
	copilotSession string
	user           *tables.Message // nil if the log lost it
	started        time.Time       // start of the answer
	ended          time.Time
	state          state
	oldStop        bool // stopped according to isCanceled, the field before modelState
	rounds         []*round
	calls          int               // so far
	notices        []*tables.Message // VS Code's messages to the user in the answer
	failure        *tables.Message
	stopMarker     string
	compact        bool // the question is /compact
	summaries      []*summary
	compacted      bool // the answer shows a compaction, maybe without a summary
	edited         []editEvent
	button         bool // sent by pressing a button
	mode           string
	hasHook        bool    // the answer has a message of a hook
	stopProven     bool    // the user stopped the request for sure; it was not just saved while running
	partial        string  // the model's text since its last call
	continued      []*call // calls of the previous request that VS Code shows in this one
}

// readRequest reads a request with its answer.
func (c *chat) readRequest(v *fastjson.Value, line int64, removed bool) {
	if v.Type() != fastjson.TypeObject {
		c.kinds.Count("session content/(no object)", false, "", noTime)
		return
	}
	at := readers.Time(v.Get("timestamp"))
	version := chatVersion(v)
	c.version = cmp.Or(version, c.version)
	c.kinds.Record(v, "session content/request", true, version, at)
	r := &request{
		id:      readers.Text(v, "requestId"),
		line:    line,
		removed: removed || v.Get("shouldBeRemovedOnSend").GetObject() != nil,
		started: readers.Time(v.Get("responseTimestamp")),
		ended:   readers.Time(v.Get("modelState", "completedAt")),
		state:   stateOf(v),
		oldStop: readers.Bool(v, "isCanceled"),
		compact: readers.Text(v, "slashCommand", "name") == "compact",
	}
	r.uuid = c.requestUUID(r.id, at)
	r.mode = readers.Text(v, "modeInfo", "permissionLevel")
	r.button = readers.Text(v, "confirmation") != ""
	r.stopProven = c.replayed || r.oldStop || v.Get("result").GetObject() != nil
	r.inferTimes(at, readers.Int(v, "result", "timings", "totalElapsed"))
	metadata := v.Get("result", "metadata")
	r.copilotSession = readers.Text(metadata, "sessionId")
	c.readQuestion(r, v, at)
	c.readAnswer(r, v, metadata)
	c.readFailure(r, v)
	r.edited = readEditEvents(v.GetArray("editedFileEvents"))
	c.requests = append(c.requests, r)
}

// chatVersion returns the version of Copilot Chat that answered; empty if another
// extension did.
func chatVersion(v *fastjson.Value) string {
	if id := readers.Text(v, "agent", "extensionId", "value"); id != "" && !strings.EqualFold(id, "GitHub.copilot-chat") {
		return ""
	}
	return readers.Text(v, "agent", "extensionVersion")
}

// inferTimes fills in when the answer began and ended, for older versions that record
// only the time of the request.
func (r *request) inferTimes(at time.Time, elapsed tables.Maybe[int64]) {
	if r.started.IsZero() {
		r.started = at
	}
	if r.ended.IsZero() && elapsed.OK && !at.IsZero() && elapsed.Value >= 0 && elapsed.Value < 1e9 {
		r.ended = at.Add(time.Duration(elapsed.Value) * time.Millisecond)
	}
}

// requestUUID returns an id that is the same in all copies of a request. Old ids are
// counters, so their time is added.
func (c *chat) requestUUID(id string, at time.Time) string {
	if uuid.MatchString(strings.TrimPrefix(id, "request_")) {
		return id
	}
	return cmp.Or(id, "request") + "@" + at.Format(time.RFC3339Nano)
}

// stateOf returns how a request ended. Older versions without modelState record it in
// isCanceled and errorDetails.
func stateOf(v *fastjson.Value) state {
	failure := v.Get("result", "errorDetails")
	canceled := readers.Bool(v, "isCanceled") || readers.Text(failure, "code") == "canceled"
	switch value := readers.Int(v, "modelState", "value"); {
	case canceled:
		return cancelled
	case value.OK && value.Value != int64(complete):
		return state(value.Value)
	case failure.GetObject() != nil:
		return failed
	case !value.OK && v.Get("result") == nil:
		return pending
	}
	return complete
}

// textIn returns the text of a question or a summary: the value itself, or an object's text.
func textIn(v *fastjson.Value) string { return cmp.Or(readers.Text(v), readers.Text(v, "text")) }

// readQuestion makes the message of the question.
func (c *chat) readQuestion(r *request, v *fastjson.Value, at time.Time) {
	message := v.Get("message")
	if message == nil {
		return
	}
	for _, p := range message.GetArray("parts") {
		c.kinds.Count("message content/"+cmp.Or(readers.Text(p, "kind"), "(no kind)"), messageParts[readers.Text(p, "kind")], "", noTime)
	}
	r.user = &tables.Message{
		UUID:      r.uuid,
		Role:      tables.RoleUser,
		Text:      textIn(message),
		Timestamp: at,
		RequestID: r.id,
		Line:      r.line,
	}
	extra := readers.Extra{}
	r.user.Kind = userKind(v, r.user.Text, extra)
	r.user.BeginsTurn = r.user.Kind == tables.KindInjected
	if r.button && r.user.Kind == tables.KindCommand {
		r.user.TypedBy = typedByButton
	}
	addSettings(v, extra)
	if list := attachments(v.GetArray("variableData", "variables")); len(list) > 0 {
		extra.Set("attachments", list)
	}
	r.user.Extra = readers.Object(extra)
}

// typedByButton marks a request that a person sent by pressing a button. VS Code wrote
// its text.
const typedByButton = "button"

var messageParts = readers.SetOf("text agent slash subcommand dynamic prompt tool toolset var file")

// userKind returns the kind of a question: typed, a command, sent by a button, or sent
// without the user.
func userKind(v *fastjson.Value, text string, extra readers.Extra) string {
	switch {
	case readers.Text(v, "confirmation") != "":
		extra.Set("button", readers.Text(v, "confirmation"))
		return tables.KindCommand
	case readers.Bool(v, "isSystemInitiated"):
		extra.Set("system_initiated", cmp.Or(readers.Text(v, "systemInitiatedLabel"), "true"))
		return tables.KindInjected
	case readers.Text(v, "requestSource") != "", readers.Text(v, "origin", "kind") != "":
		extra.Set("system_initiated", cmp.Or(readers.Text(v, "requestSource"), readers.Text(v, "origin", "kind")))
		return tables.KindInjected
	case readers.Bool(v, "isHidden"), readers.Bool(v, "hiddenFromTranscript"), readers.Bool(v, "requestHiddenFromTranscript"):
		extra.Set("system_initiated", "hidden")
		return tables.KindInjected
	case readers.Text(v, "slashCommand", "name") != "":
		extra.Set("slash_command", readers.Text(v, "slashCommand", "name"))
		return tables.KindCommand
	case readers.IsCommand(text):
		return tables.KindCommand
	}
	return tables.KindPrompt
}

// addSettings records the request's settings in extra, and facts added later, such as the
// user's vote.
func addSettings(v *fastjson.Value, extra readers.Extra) {
	for name, s := range map[string]string{
		"mode":             cmp.Or(readers.Text(v, "modeInfo", "telemetryModeId"), readers.Text(v, "modeInfo", "kind")),
		"permission_level": readers.Text(v, "modeInfo", "permissionLevel"),
		"agent":            readers.Text(v, "agent", "id"),
		"model_id":         readers.Text(v, "modelId"),
	} {
		extra.Text(name, s)
	}
	if vote := readers.Int(v, "vote"); vote.OK {
		extra.Set("vote", map[int64]string{0: "down", 1: "up"}[vote.Value])
	}
	extra.Text("vote_reason", readers.Text(v, "voteDownReason"))
	extra.Int("elapsed_ms", readers.Int(v, "elapsedMs"))
	if n := v.Get("copilotCredits"); n != nil && n.Type() == fastjson.TypeNumber {
		extra.Set("copilot_credits", json.RawMessage(readers.JSON(n)))
	}
	for key, list := range filesByAction(readEditEvents(v.GetArray("editedFileEvents"))) {
		extra.Set(key, list)
	}
}

// attachments lists the attachments of a request: names only, no contents.
func attachments(variables []*fastjson.Value) []map[string]string {
	var list []map[string]string
	for _, v := range variables {
		one := map[string]string{}
		for _, key := range []string{"kind", "name", "mimeType"} {
			if s := readers.Text(v, key); s != "" {
				one[key] = s
			}
		}
		list = append(list, one)
	}
	return list
}

// readFailure makes the message of an error or, if the user stopped the request, keeps
// the text that VS Code showed.
func (c *chat) readFailure(r *request, v *fastjson.Value) {
	details := v.Get("result", "errorDetails")
	text := readers.Text(details, "message")
	switch r.state {
	case cancelled:
		r.stopMarker = text
	case failed:
		extra := readers.Extra{}
		extra.Text("code", readers.Text(details, "code"))
		for _, flag := range []string{"responseIsFiltered", "isQuotaExceeded", "isRateLimited"} {
			extra.Flag(flag, details.GetBool(flag))
		}
		r.failure = &tables.Message{
			UUID:      r.uuid + "/error",
			Role:      tables.RoleSystem,
			Kind:      tables.KindError,
			Text:      text,
			Timestamp: r.ended,
			RequestID: r.id,
			Line:      r.line,
			Extra:     readers.Object(extra),
		}
	}
}
