package cline

import (
	"path"
	"strconv"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// child is a subagent's file beside the session's own.
type child struct {
	id    string
	start time.Time
	taken bool
}

// clocks is how far the times of a call and of its subagent's name may be apart.
const clocks = time.Second

// joinChildren finds the subagent of each spawn_agent call. The result names none, so
// their order and times decide: a subagent's file is named by its start, which lies
// between the call and the result (FORMAT.md §8).
func (s *session) joinChildren() {
	var list []*child
	asked := false
	for _, e := range s.entries {
		for _, c := range e.calls {
			if c.ToolName != "spawn_agent" || c.result == nil || c.result.refusal != nil || c.result.ErrorType == tables.ErrorInvalidCall {
				continue
			}
			if !asked {
				asked, list = true, s.children()
			}
			for len(list) > 0 && (list[0].taken || list[0].start.Before(c.Timestamp.Add(-clocks))) {
				list = list[1:] // calls and subagents are both in the order of time
			}
			if len(list) == 0 {
				return
			}
			if !list[0].start.After(c.result.Timestamp.Add(clocks)) {
				c.result.SubagentSessionID, list[0].taken = list[0].id, true
			}
		}
	}
}

// children lists the subagents' files in the session's folder, in the order of their
// starts.
func (s *session) children() (list []*child) {
	if s.isChild() {
		return nil
	}
	names, err := s.in.Names(path.Join(sessionsFolder, s.at.folder))
	if err != nil {
		return nil // the files' own rows name this session
	}
	for _, name := range names {
		stem, isMessages := strings.CutSuffix(name, messagesSuffix)
		digits, isChild := strings.CutPrefix(stem, "agent_")
		digits, _, _ = strings.Cut(digits, "_")
		ms, err := strconv.ParseInt(digits, 10, 64)
		if start := readers.Millis(ms); isMessages && isChild && err == nil && !start.IsZero() {
			list = append(list, &child{id: s.at.folder + "__" + stem, start: start})
		}
	}
	return list
}
