package pilines

import (
	"cmp"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// record handles one line (readers/pi/FORMAT.md §2).
func (l *log) record(v *fastjson.Value, line readers.Line) {
	kind := l.words.Intern(v.GetStringBytes("type"))
	if l.records++; l.first == 0 {
		l.first = line.Number
	}
	switch kind {
	case "session":
		l.kinds.Record(v, kind, true, "", readers.Time(v.Get("timestamp")))
		l.header(v)
		return
	case "title": // oh-my-pi's title, before the header
		l.kinds.Record(v, kind, true, "", readers.Time(v.Get("updatedAt")))
		l.earlyTitle = readers.Text(v, "title")
		return
	}
	handle := entryKinds[kind]
	if l.claw != nil {
		if own := clawKinds[kind]; own != nil {
			handle = own
		}
		l.claw.emitRunsBefore(v)
	}
	if handle == nil {
		l.unknown(v, kind)
		return
	}
	if !l.opened {
		// The session of a file without a header, which is another program's or damaged.
		l.in.Emit(&tables.Problem{Line: line.Number, What: "no session header before this line: the session's id is taken from the file's name"})
		l.open()
	}
	e := l.addEntry(v, line.Number)
	if kind == "message" {
		kind, handle = l.role(v)
	}
	l.kinds.Record(v, kind, handle != nil, "", e.at)
	if handle != nil && !e.isRepeated && e.first == nil {
		handle(l, e, v)
	}
}

// entryKinds maps the types of lines below the header to their methods.
var entryKinds = map[string]func(*log, *entry, *fastjson.Value){
	"message":               ignore, // handled by its role
	"custom_message":        (*log).injected,
	"compaction":            (*log).compaction,
	"branch_summary":        (*log).branchSummary,
	"reset_boundary":        (*log).reset,
	"session_info":          sessionFact(facts.setName),
	"title_change":          sessionFact(facts.setTitle),
	"label":                 sessionFact(facts.setLabel),
	"thinking_level_change": sessionFact(facts.setThinkingLevel),
	"mode_change":           sessionFact(facts.setMode),
	"session_init":          sessionFact(facts.setAgent),
	"model_change":          ignore, // each response names its own model
	"custom":                ignore, // an extension's state
	"context_edit":          (*log).contextEdit,
	"usage":                 (*log).sideRequest,
	"model_usage":           (*log).sideRequest,
	"service_tier_change":   ignore,
	"ttsr_injection":        ignore,
	"credential_pin":        ignore,
	"archive":               ignore,
}

func ignore(*log, *entry, *fastjson.Value) {}

// unknown counts a line of unknown kind. The line may still be the parent of others.
func (l *log) unknown(v *fastjson.Value, kind string) {
	kind = cmp.Or(kind, "(no type)")
	at := readers.Time(v.Get("timestamp"))
	l.kinds.Count(kind, false, "", at)
	if v.Exists("id") && v.Exists("parentId") {
		l.addEntry(v, 0)
	}
}

// facts holds what lines outside the conversation say of the session.
type facts struct {
	*tables.Session
	extra readers.Extra
}

// sessionFact makes a line's method of a method of facts.
func sessionFact(handle func(facts, *fastjson.Value)) func(*log, *entry, *fastjson.Value) {
	return func(l *log, _ *entry, v *fastjson.Value) { handle(facts{&l.session, l.extra}, v) }
}

// setName handles a name that the user gave; an empty name removes the title.
func (a facts) setName(v *fastjson.Value) { a.Title = strings.TrimSpace(readers.Text(v, "name")) }

func (a facts) setTitle(v *fastjson.Value) {
	a.Title = cmp.Or(readers.Text(v, "title"), a.Title)
}

// setLabel keeps the bookmarks by their line's id. A label without text removes the
// bookmark.
func (a facts) setLabel(v *fastjson.Value) {
	labels, _ := a.extra["labels"].(map[string]string)
	if labels == nil {
		labels = map[string]string{}
	}
	if text := readers.Text(v, "label"); text != "" {
		labels[readers.Text(v, "targetId")] = text
	} else {
		delete(labels, readers.Text(v, "targetId"))
	}
	a.extra.Set("labels", labels)
	if len(labels) == 0 {
		delete(a.extra, "labels")
	}
}

func (a facts) setThinkingLevel(v *fastjson.Value) {
	a.extra.Text("thinking_level", readers.Text(v, "thinkingLevel"))
}

func (a facts) setMode(v *fastjson.Value) { a.extra.Text("mode", readers.Text(v, "mode")) }

// setAgent handles the start of oh-my-pi's subagent, which names the agent.
func (a facts) setAgent(v *fastjson.Value) { a.extra.Text("agent", readers.Text(v, "agent")) }

// compaction handles a summary that replaced the messages before firstKeptEntryId
// (readers/pi/FORMAT.md §6). Who or what started it isn't stored. But pi compacts by
// itself after an answer that didn't fit.
func (l *log) compaction(e *entry, v *fastjson.Value) {
	var c content
	if l.claw == nil && (readers.Bool(v, "fromHook") || readers.Bool(v, "fromExtension")) { // OpenClaw marks its own so, too
		c.extra.Set("from_extension", true)
	}
	summary := readers.Text(v, "summary")
	l.emitMessage(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: summary}, c)
	event := &tables.Compaction{
		UUID:      e.uuid,
		PreTokens: readers.Count(v, "tokensBefore"), PostTokens: readers.Count(v, "tokensAfter"),
		Summary: summary, SummarySource: tables.SummaryInline,
		ReplacedUUIDs: e.replacedMessages(l.firstKept(v)), Timestamp: e.at,
	}
	event.TokensEstimated = event.PostTokens.OK // oh-my-pi estimates the count
	if e.parent != nil {
		event.LogicalParentUUID = e.parent.uuid
		if e.parent.retried {
			event.Trigger, event.TriggerInferred = "auto", true
		}
	}
	if summary == "" {
		event.SummarySource = tables.SummaryNone
	}
	l.in.Emit(event)
	l.emitUsage(e, v.Get("usage"))
	e.compacted = e
}

// firstKept returns the first line that stays; nil if the file lacks the line, and then
// no earlier line stays.
func (l *log) firstKept(v *fastjson.Value) *entry {
	if n := readers.Int(v, "firstKeptEntryIndex"); n.OK { // version 1 counts the lines
		return l.byID["#"+strconv.FormatInt(n.Value, 10)]
	}
	return l.byID[readers.Text(v, "firstKeptEntryId")]
}

// replacedMessages returns the messages that a compaction replaced: those before it on
// the path that no earlier compaction replaced, and always the earlier compaction's
// summary. Each line is visited once, even with many compactions.
func (e *entry) replacedMessages(kept *entry) []string {
	uuids := []string{}
	replace := func(p *entry) {
		p.replaced = true
		uuids = p.appendUUIDs(uuids)
	}
	if last := e.compacted; last != nil && !last.replaced {
		replace(last)
	}
	from := e.parent
	if kept != nil && kept.index < e.index {
		from = kept.parent
	}
	for ; from != nil; from = from.parent {
		p := from.original()
		if p.replaced && p != e.compacted {
			break
		}
		if !p.replaced {
			replace(p)
		}
	}
	return uuids
}

// branchSummary handles /tree's summary of the branch that the user left.
func (l *log) branchSummary(e *entry, v *fastjson.Value) {
	var c content
	c.extra.Text("from_id", readers.Text(v, "fromId"))
	l.emitMessage(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: readers.Text(v, "summary")}, c)
	l.emitUsage(e, v.Get("usage"))
}

// reset handles oh-my-pi's /clear: earlier lines are no longer sent to the model.
func (l *log) reset(e *entry, _ *fastjson.Value) { l.emitReset(e, "/clear") }

// emitReset emits a clear after which the session goes on. command is empty if unknown.
func (l *log) emitReset(e *entry, command string) *tables.Clear {
	e.replaced, e.compacted = true, nil // a later compaction stops here
	reset := &tables.Clear{
		UUID: e.uuid, SessionID: l.session.SessionID, InSession: true,
		Trigger: tables.ClearByCommand, Command: command, Project: l.session.Project,
		Timestamp: e.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	}
	l.in.Emit(reset)
	return reset
}
