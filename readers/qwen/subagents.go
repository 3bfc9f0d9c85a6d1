package qwen

import "strings"

// subagentsOf returns the folder with the files of a session's subagents
// (FORMAT.md §1).
func (l *log) subagentsOf(session string) string { return l.at.folder + "/subagents/" + session }

// owner returns the session that wrote a line: the original of a copied line.
func (l *log) owner(r *record) string {
	if r.copied && r.origin != "" {
		return r.origin
	}
	return l.at.session
}

// hasFile reports whether a subagent has a file of its own.
func (l *log) hasFile(r *record, agent string) bool {
	if agent == "" || strings.ContainsAny(agent, `/\`) {
		return false
	}
	return l.in.Exists(l.subagentsOf(l.owner(r)) + "/agent-" + agent + ".jsonl")
}

// subagentOf returns the session of the subagent that a call started; empty if there is
// none. The file's name ends with the call's id.
func (l *log) subagentOf(r *record, callID string) string {
	session := l.owner(r)
	names, looked := l.agents[session]
	if !looked {
		names, _ = l.in.Names(l.subagentsOf(session)) // a failure is the loader's to report
		l.agents[session] = names
	}
	for _, name := range names {
		stem, isLines := strings.CutSuffix(name, ".jsonl")
		if agent, isAgent := strings.CutPrefix(stem, "agent-"); isLines && isAgent && callID != "" && strings.HasSuffix(agent, "-"+callID) {
			return session + "/" + agent
		}
	}
	return ""
}
