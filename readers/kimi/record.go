package kimi

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// events lists the lines that repeat others at the end of a turn. Nothing of them is
// read: everything would count twice (FORMAT.md §2).
var events = readers.SetOf(`agent.message.appended agent.turn.started agent.turn.ended`)

// recordKinds maps the types of lines to their methods (FORMAT.md §3).
var recordKinds = map[string]func(*wire, *fastjson.Value){
	"metadata":                          func(w *wire, v *fastjson.Value) { w.about.metadata(v) },
	"profile.bind":                      func(w *wire, v *fastjson.Value) { w.about.profile(v) },
	"permission.set_mode":               func(w *wire, v *fastjson.Value) { w.mode = w.talk.words.Of(v.GetStringBytes("mode")) },
	"plan_mode.enter":                   func(w *wire, _ *fastjson.Value) { w.plan = true },
	"plan_mode.exit":                    func(w *wire, _ *fastjson.Value) { w.plan = false },
	"plan_mode.cancel":                  func(w *wire, _ *fastjson.Value) { w.plan = false },
	"turn.prompt":                       (*wire).turnPrompt,
	"context.append_message":            (*wire).appended,
	"llm.request":                       (*wire).request,
	"usage.record":                      (*wire).usage,
	"interaction.request":               (*wire).asked,
	"interaction.resolved":              (*wire).answered,
	"permission.record_approval_result": (*wire).approval,
	"turn.cancel":                       (*wire).cancel,
	"turn.step.interrupted":             (*wire).stepInterrupted,
	"turn.step.retrying":                (*wire).retrying,
	"turn.ended":                        (*wire).turnEnded,
	"prompt.completed":                  func(w *wire, v *fastjson.Value) { w.talk.completed(v) },
	"full_compaction.begin":             (*wire).compactionBegun,
	"full_compaction.cancel":            func(w *wire, _ *fastjson.Value) { w.compacting = compacting{} },
	"full_compaction.complete":          func(w *wire, _ *fastjson.Value) { w.compacting = compacting{} },
	"context.apply_compaction":          (*wire).compaction,
	"context.clear":                     (*wire).cleared,
	"context.undo":                      (*wire).undo,
	"agent.switched":                    (*wire).switched,
	"forked":                            (*wire).forked,
	"subagent.spawned":                  (*wire).spawned,
}

// silentKinds lists the lines without rows: state of the program, and what other lines
// tell, too.
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

// protocol returns the kind of the first line. A newer version of the wire has a kind of
// its own, because no other line names a version.
func protocol(v *fastjson.Value) string {
	if version := readers.Text(v, "protocol_version"); readers.CompareVersions(version, newestProtocol) > 0 {
		return "metadata (protocol " + version + ")"
	}
	return "metadata"
}
