package kimi

import (
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// wire is a wire that is being read.
type wire struct {
	in      *readers.Input
	facts   *sessionFacts
	chat    *chat
	apiIDs  readers.Set
	step    *step // the last step; nil before the first
	turn    turn
	calls   map[string]*call // by the model's id: the last call
	byUUID  map[string]*call // by the id of the line with the call
	asks    map[string]*ask  // by their own id
	mode    string           // permission mode
	plan    bool             // plan mode is on
	allowed readers.Set      // rules that the user allowed for the session

	compacting compacting
	branches   branches
}

// turn is the part of a wire from a prompt to the next.
type turn struct {
	id        string
	begins    string               // origin of a message that is expected, and begins the turn
	cancelled bool                 // by a person, or by the program's end
	stop      *tables.Interruption // not yet emitted; nil if none
	unnamed   *tables.Interruption // the stop if its own line is missing
	failed    string               // message of a failed step; empty if none
}

func readWire(in *readers.Input) error {
	a := &sessionFacts{in: in, extra: readers.Extra{}}
	w := &wire{
		in: in, facts: a,
		chat:   &chat{in: in, facts: a, kinds: readers.NewKinds(in), words: readers.Interner{}, seen: readers.Set{}, names: map[string]int{}},
		apiIDs: readers.Set{}, allowed: readers.Set{},
		calls: map[string]*call{}, byUUID: map[string]*call{}, asks: map[string]*ask{},
	}
	w.facts.readPath()
	w.facts.readState()
	in.Emit(&w.facts.session)
	err := readers.JSONLines(in, starts, w.handleLine)
	w.finish()
	return err
}

// starts lists the beginnings of a line, at which reading resumes after damage.
var starts = []string{`{"type":"context.`, `{"type":"turn.`, `{"type":"interaction.`, `{"type":"permission.`, `{"type":"usage.record"`,
	`{"type":"prompt.`, `{"type":"metadata"`, `{"type":"llm.`, `{"type":"subagent.`, `{"type":"full_compaction.`, `{"type":"agent.switched"`,
	`{"type":"forked"`, `{"type":"plan`, `{"type":"token_counting.`, `{"message":{"message":{"role":`, `{"turnId":`}

// finish emits what waits for further lines, and completes the session.
func (w *wire) finish() {
	w.closeStep()
	w.emitFailedTurn()
	if undone := w.branches.undoneMessages(w.chat.entries); len(undone) > 0 {
		w.in.Emit(&tables.Inactive{UUIDs: undone})
	}
	if w.facts.isSide {
		w.facts.session.Kind = tables.SessionSide
	}
	w.facts.session.Extra = readers.Object(w.facts.extra)
	w.chat.kinds.Emit(w.in.Emit)
}

// handleLine handles a line (FORMAT.md §2).
func (w *wire) handleLine(v *fastjson.Value, line readers.Line) {
	w.chat.record++
	w.chat.line, w.chat.at = line.Number, readers.Time(v.Get("time"))
	kind := w.chat.words.Intern(v.GetStringBytes("type"))
	if kind == "" {
		w.chat.kinds.Count("(no type)", false, "", w.chat.at)
		return
	}
	if string(v.GetStringBytes("kind")) == "event" {
		w.chat.kinds.Record(v, kind, events[kind], "", w.chat.at)
		return
	}
	if kind == loopEvent {
		w.loopEvent(v.Get("event"), v)
		return
	}
	handle, known := recordKinds[kind]
	known = known || silentKinds[kind]
	if kind == "metadata" {
		if version := readers.Text(v, "protocol_version"); readers.CompareVersions(version, newestProtocol) > 0 {
			kind, known = "metadata (protocol "+version+")", false // a kind of its own, because no other line names a version
		}
	}
	w.chat.kinds.Record(v, kind, known, "", w.chat.at)
	if handle != nil {
		handle(w, v)
	}
}

// forked ends the lines that a fork copied from its original (FORMAT.md §7). The
// original is known from state.json, or else from a dialog, which names its session.
func (w *wire) forked(*fastjson.Value) {
	w.closeStep()
	if w.facts.origin == "" && w.facts.dialogSession != path.Base(w.facts.folder()) {
		w.facts.origin = w.facts.dialogSession
		if w.facts.agent == mainAgent {
			w.facts.session.ForkedFrom = w.facts.origin
		} else if w.facts.origin != "" {
			w.facts.origin += "/" + w.facts.agent
		}
	}
	for _, s := range w.chat.entries[w.chat.forkedAt:] {
		s.OriginSessionID = w.facts.origin
	}
	w.chat.forkedAt = len(w.chat.entries)
}

// events lists the lines that repeat others at the end of a turn. Nothing of them is
// read: everything would count twice (FORMAT.md §2).
var events = readers.SetOf(`agent.message.appended agent.turn.started agent.turn.ended`)

// recordKinds maps the types of lines to their methods (FORMAT.md §3).
var recordKinds = map[string]func(*wire, *fastjson.Value){
	"metadata":                          func(w *wire, v *fastjson.Value) { w.facts.readMetadata(v) },
	"profile.bind":                      func(w *wire, v *fastjson.Value) { w.facts.readProfile(v) },
	"permission.set_mode":               func(w *wire, v *fastjson.Value) { w.mode = w.chat.words.Intern(v.GetStringBytes("mode")) },
	"plan_mode.enter":                   func(w *wire, _ *fastjson.Value) { w.plan = true },
	"plan_mode.exit":                    func(w *wire, _ *fastjson.Value) { w.plan = false },
	"plan_mode.cancel":                  func(w *wire, _ *fastjson.Value) { w.plan = false },
	"turn.prompt":                       (*wire).turnPrompt,
	"context.append_message":            (*wire).messageAppended,
	"llm.request":                       (*wire).request,
	"usage.record":                      (*wire).usage,
	"interaction.request":               (*wire).askRequested,
	"interaction.resolved":              (*wire).askResolved,
	"permission.record_approval_result": (*wire).approvalRecorded,
	"turn.cancel":                       (*wire).cancel,
	"turn.step.interrupted":             (*wire).stepInterrupted,
	"turn.step.retrying":                (*wire).retrying,
	"turn.ended":                        (*wire).turnEnded,
	"prompt.completed":                  func(w *wire, v *fastjson.Value) { w.chat.promptCompleted(v) },
	"full_compaction.begin":             (*wire).compactionBegun,
	"full_compaction.cancel":            func(w *wire, _ *fastjson.Value) { w.compacting = compacting{} },
	"full_compaction.complete":          func(w *wire, _ *fastjson.Value) { w.compacting = compacting{} },
	"context.apply_compaction":          (*wire).compaction,
	"context.clear":                     (*wire).contextCleared,
	"context.undo":                      (*wire).undo,
	"agent.switched":                    (*wire).switched,
	"forked":                            (*wire).forked,
	"subagent.spawned":                  (*wire).subagentSpawned,
}

// silentKinds lists the lines without rows: state of the program, and what other lines
// say, too.
var silentKinds = readers.SetOf(`runtime.set_binding config.update llm.tools_snapshot plugin.session_start
	token_counting.measured token_counting.rebased token_counting.truncated token_counting.turn_recorded
	tools.register_user_tool tools.unregister_user_tool tools.reset_active_tools tools.set_active_tools tools.update_store
	plan.revision staleGuard.cleared staleGuard.recorded file_history.tracked file_history.checkpoint permission.rules.add
	turn.steer prompt.steered prompt.accepted prompt.aborted context.undone
	subagent.started subagent.suspended subagent.completed subagent.failed subagent.cancelled
	swarm_mode.enter swarm_mode.exit tower_mode.enter tower_mode.exit goal.create goal.update goal.clear
	cron.add cron.cursor cron.delete task.started task.terminated task.waitDelivered
	mcp.tools_discovered interruptionReminder.recorded`)

// newestProtocol is the newest version of the wire that was tested.
const newestProtocol = "1.5"
