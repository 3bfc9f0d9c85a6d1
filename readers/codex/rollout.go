package codex

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"path"
	"strconv"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// rollout reads one session's file.
type rollout struct {
	in     *readers.Input
	words  readers.Interner
	kinds  readers.Kinds
	parser fastjson.Parser // for JSON inside a string
	id     string

	facts      sessionFacts
	ordered    bool // the file is paginated: items describe all calls
	itemsOfMCP bool // items or events describe how MCP calls ended
	replay     replay
	opened     bool
	chain      string // hash of the items so far
	marks      int    // rows since the last item
	lastAt     time.Time
	started    time.Time // start of a flat file's session, for the first message: no other line has a time
	numbered   int64     // ordinal minus line number of the previous numbered line

	response   *response // the current response; its tokens may still come
	usage      usage
	eventTexts []eventText // texts of events that no item has repeated so far
	itemTexts  []string
	prompts    prompts
	openings   []opening
	hasPlan    bool // the model proposed a plan, and no prompt followed
	calls      map[string]*call
	callList   []*call         // the same calls, in order
	prefixes   []commandPrefix // prefixes that the user allowed for good
	scripts    scripts
	lastEnd    lastEnd
	turn       turn
	lastStop   *tables.Interruption // the last one, until the next message
	turnID     string               // id of the running turn
	uuids      []string             // uuids of messages on the active line
	turns      []turnStart
	compaction compactionState

	answers     answers
	perResponse map[string]int // number of calls by response, filled at the end of the file
}

// starts lists the beginnings of lines, where reading continues after a damaged line.
var starts = []string{`{"timestamp":"`, `{"type":"`, `{"id":"`, `{"record_type":"`}

func readRollout(in *readers.Input) error {
	t := newRollout(in)
	err := readers.JSONLines(in, starts, func(v *fastjson.Value, line readers.Line) {
		t.handle(parseRecord(t.words, v, line.Number))
	})
	t.finish()
	return err
}

func newRollout(in *readers.Input) *rollout {
	t := &rollout{in: in, kinds: readers.NewKinds(in), words: readers.Interner{}, id: path.Base(in.Rel), calls: map[string]*call{}}
	if m := rolloutName.FindStringSubmatch(t.id); m != nil {
		t.id = m[1]
	}
	t.facts.kind = tables.SessionMain
	t.chain = t.id
	t.numbered = math.MinInt64
	return t
}

func (t *rollout) emit(e tables.Event) { t.in.Emit(e) }

func (t *rollout) handle(r *record) {
	kind, known := r.kindName()
	version := t.facts.version // of the whole file, also for its first session_meta
	if r.kind == metaLine && !t.facts.known {
		version = readers.Text(r.Value, "cli_version")
	}
	t.kinds.Record(r.whole, kind, known, version, r.at)
	if !t.opened {
		t.opened = true
		t.emit(&tables.Session{SessionID: t.id})
	}
	t.emitNumbering(r)
	t.endReplay(r)
	if r.ordinal > 0 {
		t.ordered, t.itemsOfMCP = true, true
	}
	switch r.kind {
	case metaLine, flatHead:
		t.handleMeta(r)
	case contextLine:
		t.handleTurnContext(r)
	case itemLine:
		t.handleItem(r)
	case eventLine:
		t.handleEvent(r)
	case compactLine:
		t.handleCompacted(r)
	case worldLine:
		t.setPrefixes(r)
	case usageLine:
		t.handleUsageRecord(r)
	}
	t.lastAt = r.at
}

// emitNumbering emits a Numbering at each line whose ordinal isn't the previous ordinal
// plus one. It maps lines to ordinals, because another file may continue this session
// after a line given by ordinal.
func (t *rollout) emitNumbering(r *record) {
	if !r.numbered || r.ordinal-r.line == t.numbered {
		return
	}
	t.numbered = r.ordinal - r.line
	t.emit(&tables.Numbering{Line: r.line, Ordinal: r.ordinal})
}

// handleItem handles a response_item, the only stream that all formats have (FORMAT.md
// §3.2).
func (t *rollout) handleItem(r *record) {
	switch r.sub {
	case "message":
		t.handleMessage(r)
	case "reasoning":
		t.handleReasoning(r)
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call":
		t.handleToolCall(r)
	case "web_search_call", "image_generation_call":
		t.handleHostedCall(r)
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		t.handleOutput(r)
	case "agent_message":
		t.emitAgentMessage(r)
	}
}

// handleEvent handles an event_msg. It ignores kinds of events that only repeat an item.
func (t *rollout) handleEvent(r *record) {
	switch r.sub {
	case "user_message":
		t.handleUserEvent(r, readers.Text(r.Value, "message"), readers.Text(r.Value, "kind"))
	case "agent_message":
		t.addEventText(r, eventText{text: readers.Text(r.Value, "message")})
	case "agent_reasoning", "agent_reasoning_raw_content":
		t.addEventText(r, eventText{text: readers.Text(r.Value, "text"), thinking: true})
	case "token_count":
		t.addCount(r)
		t.emitRateLimit(r)
	case "task_started", "turn_started":
		t.handleTurnStarted(r)
	case "task_complete", "turn_complete":
		t.handleTurnComplete(r)
	case "turn_aborted":
		t.handleTurnAborted(r)
	case "thread_rolled_back":
		t.handleRollback(r)
	case "error", "stream_error":
		t.handleError(r, r.Value)
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		t.handleCallEnd(r, r.Value, readers.Text(r.Value, "call_id"))
	case "web_search_end", "view_image_tool_call":
		t.handleNestedOnly(r, r.Value, readers.Text(r.Value, "call_id"))
	case "sub_agent_activity", "collab_agent_spawn_end":
		t.handleAgentActivity(r, r.Value, cmp.Or(readers.Text(r.Value, "call_id"), readers.Text(r.Value, "event_id"), readers.Text(r.Value, "id")))
	case "undo_completed", "entered_review_mode", "exited_review_mode":
		t.emitNotice(r)
	case "thread_name_updated":
		t.facts.title = cmp.Or(readers.Text(r.Value, "thread_name"), readers.Text(r.Value, "name"), t.facts.title)
	case itemFinished:
		t.handleFinishedItem(r, r.Get("item"))
	}
}

// handleFinishedItem handles an item of the paginated format, which replaces events of
// older formats (FORMAT.md §3.4).
func (t *rollout) handleFinishedItem(r *record, item *fastjson.Value) {
	switch readers.Text(item, "type") {
	case "UserMessage":
		text, _ := contentText(item.Get("content"))
		t.handleUserEvent(r, text, "")
	case "AgentMessage":
		text, _ := contentText(item.Get("content"))
		t.addEventText(r, eventText{text: cmp.Or(text, readers.Text(item, "text"))})
	case "Reasoning":
		for _, s := range item.GetArray("summary_text") {
			t.addEventText(r, eventText{text: readers.Text(s), thinking: true})
		}
	case "CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall":
		t.handleCallEnd(r, item, readers.Text(item, "id"))
	case "WebSearch", "ImageView":
		t.handleNestedOnly(r, item, readers.Text(item, "id"))
	case "SubAgentActivity", "CollabAgentToolCall":
		t.handleAgentActivity(r, item, readers.Text(item, "id"))
	}
}

func (t *rollout) finish() {
	if !t.opened {
		t.emit(&tables.Session{SessionID: t.id})
	}
	t.flushPending()
	t.emitAllHeld()
	t.prompts.markInjected()
	for _, c := range t.callList {
		t.emitDecision(c)
	}
	t.emit(t.session())
	t.inferClear()
	t.kinds.Emit(t.emit)
}

// flushPending ends the current response, and emits texts known from events only.
func (t *rollout) flushPending() {
	t.emitEventTexts()
	t.flushUsage()
	t.endResponse()
}

// advanceChain adds one item to the hash chain, and returns the item's uuid: a hash of
// everything said so far. So a copy of the item in another file has the same uuid, and
// no other item has it (FORMAT.md §7.2).
func (t *rollout) advanceChain(parts ...string) string {
	t.marks = 0
	t.chain = hashOf(t.chain, parts)
	return t.chain
}

// uuidWithoutItem returns a uuid for a row that comes from no item.
func (t *rollout) uuidWithoutItem(parts ...string) string {
	t.marks++
	return hashOf(t.chain+strconv.Itoa(t.marks), parts)
}

func hashOf(before string, parts []string) string {
	h := sha256.New()
	h.Write([]byte(before))
	for _, p := range parts {
		h.Write([]byte{0})
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// emitMessage emits a message, and records it as part of the active conversation. A
// rollback takes messages off again.
func (t *rollout) emitMessage(m *tables.Message) {
	m.IsSidechain = t.facts.kind != tables.SessionMain && t.replay.of == ""
	m.OriginSessionID = t.replay.of
	if m.Timestamp.IsZero() {
		m.Timestamp, t.started = t.started, time.Time{}
	}
	t.uuids = append(t.uuids, m.UUID)
	t.turn.setLast(m)
	if m.Kind != tables.KindInterruption {
		t.lastStop = nil
	}
	t.emit(m)
}

// emitNotice emits a line that Codex itself wrote, as a message to the user.
func (t *rollout) emitNotice(r *record) {
	t.flushPending()
	text := cmp.Or(readers.Text(r.Value, "message"), readers.Text(r.Value, "user_facing_hint"), readers.Text(r.Value, "review_output", "overall_explanation"))
	if text != "" {
		text = ": " + text
	}
	t.emitMessage(&tables.Message{
		UUID: t.uuidWithoutItem(r.sub), Role: tables.RoleSystem, Kind: tables.KindNotice,
		Text: r.sub + text, Timestamp: r.at, Line: r.line,
	})
}
