package qwen

import (
	"strings"

	"hindsql/readers"
)

// helpers finds the files of sessions' subagents (FORMAT.md §1).
type helpers struct {
	in     *readers.Input
	folder string              // projects/<p>
	names  map[string][]string // names of subagents' files by session, as far as looked up
}

func (h *helpers) of(session string) string { return h.folder + "/subagents/" + session }

// has reports whether a session's subagent has a file of its own.
func (h *helpers) has(session, agent string) bool {
	if agent == "" || strings.ContainsAny(agent, `/\`) {
		return false
	}
	return h.in.Exists(h.of(session) + "/agent-" + agent + ".jsonl")
}

// startedBy returns the session of the subagent that a call started; empty if there is
// none. The file's name ends with the call's id.
func (h *helpers) startedBy(session, callID string) string {
	names, looked := h.names[session]
	if !looked {
		names, _ = h.in.Names(h.of(session)) // a failure is the loader's to report
		h.names[session] = names
	}
	for _, name := range names {
		stem, isLines := strings.CutSuffix(name, ".jsonl")
		if agent, isAgent := strings.CutPrefix(stem, "agent-"); isLines && isAgent && callID != "" && strings.HasSuffix(agent, "-"+callID) {
			return session + "/" + agent
		}
	}
	return ""
}

// owner returns the session that wrote a line: the original of a copied line.
func (l *log) owner(r *record) string {
	if r.copied && r.origin != "" {
		return r.origin
	}
	return l.at.session
}
