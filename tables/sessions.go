package tables

import (
	"cmp"
	"slices"
	"time"

	"hindsql/internal/words"
)

var sessions = newRowTable(Table{
	Name: "sessions",
	Doc:  "One row per session. A resumed or forked session has a separate row, with totals that leave out messages copied from the older session.",
	Key:  []string{"agent", "session_id"},
}, withOrigin(func(s *session) *Source { return &s.file.Source }, slices.Concat([]column[session]{
	instant("started_at", "time of the earliest message", func(s *session) time.Time { return s.span(time.Time.Before) }),
	text("agent", "agent that wrote the log", func(s *session) string { return s.file.Agent }),
	text("project", "working directory, with a Windows drive letter in capitals; for a subagent or helper, the directory of the topmost session above", func(s *session) string { return s.Project }),
	text("kind", "main, subagent, compaction_helper, side_question, prompt_suggestion, guardian or server", func(s *session) string { return s.Session.Kind }),
	text("about", "a line to recognise the session: the title, or the beginning of the first prompt, preferably a person's", (*session).about),
}, sessionTotals(), []column[session]{
	double("cost_usd", "cost in US dollars as recorded by the agent, null if not recorded", func(s *session) Maybe[float64] { return s.CostUSD }),
	linked[session]("cost_estimated_usd", "DOUBLE", "estimated cost in US dollars, copies left out, by the dated list of prices (docs/prices.md), not by the prices of the day; null if a model has no price"),
	instant("ended_at", "time of the latest line of a message", func(s *session) time.Time { return s.span(time.Time.After) }),
	text("title", "title given by the agent or the user", func(s *session) string { return s.Title }),
	text("model", "model of most responses", func(s *session) string { return s.modelMostUsed() }),
	text("origin", "how the agent was started, in the agent's own word: cli, sdk-py, exec …", func(s *session) string { return s.Origin }),
	text("agent_version", "version of the agent, from the last line with a version", func(s *session) string { return s.AgentVersion }),
	text("git_branch", "git branch, from the last line with a branch", func(s *session) string { return s.GitBranch }),
	text("git_commit", "git commit at the start, if recorded", func(s *session) string { return s.GitCommit }),
	text("git_remote", "git remote, if recorded", func(s *session) string { return s.GitRemote }),
	text("session_id", "id of the session, unique with agent", func(s *session) string { return s.SessionID }),
	text("native_id", "the agent's own id if session_id had to be made unique, otherwise null", func(s *session) string { return s.NativeID }),
	text("parent_session_id", "session that started this subagent or helper", func(s *session) string { return s.ParentSessionID }),
	linked[session]("forked_from", "VARCHAR", "older session, copied at the beginning of this session"),
	linked[session]("previous_session_id", "VARCHAR", "session ended by the clear that began this session"),
	boolean("is_copy", "true if another file, perhaps of another machine, has the session, and nothing here is its own", func(s *session) bool { return false }),
	bigint("source_id", "the log file, see sources", func(s *session) int64 { return s.file.id }),
	long(object("extra", "facts recorded only by this agent", func(s *session) string { return s.Session.Extra })),
})))

// sessionTotals returns the columns of totals, counted by Links, because only Links
// know the copies.
func sessionTotals() []column[session] {
	count := func(name, doc string) column[session] {
		return linked[session](name, "BIGINT", doc+", copies left out")
	}
	return []column[session]{
		count("prompt_count", "prompts typed by a person"),
		count("message_count", "messages except kind usage"),
		count("tool_call_count", "tool calls by the model, without the calls made by scripts"),
		count("tool_error_count", "tool calls with status error, including scripts' calls but not scripts"),
		count("rejection_count", "calls refused by a person"),
		count("interruption_count", "interruptions by a person, with or without a paired rejection; a subagent's stop that repeats its parent's counts for the parent"),
		count("compaction_count", "compactions"),
		count("input_tokens", "tokens read by the model and not cached"),
		count("output_tokens", "tokens written by the model"),
		count("cache_read_tokens", "tokens read from the prompt cache"),
		count("cache_write_tokens", "tokens written to the prompt cache"),
		count("reasoning_tokens", "tokens of hidden reasoning, if recorded"),
	}
}

// span returns the first time in the given order; zero if no message has a time. Times
// of usage messages count only in a session without other times, because usage may be
// written after everyone left.
func (s *session) span(first func(a, b time.Time) bool) time.Time {
	var spoken, written time.Time
	for _, m := range s.messages {
		for _, t := range []time.Time{m.Timestamp, m.lastPart} {
			if !t.IsZero() && (written.IsZero() || first(t, written)) {
				written = t
			}
			if !t.IsZero() && m.Kind != KindUsage && (spoken.IsZero() || first(t, spoken)) {
				spoken = t
			}
		}
	}
	return cmp.Or(spoken, written)
}

// aboutLength is the maximum length of an about text, in characters.
const aboutLength = 120

// about returns, as a line, the title, or the beginning of the first prompt typed by a
// person, or the beginning of the first prompt by a program; empty if the session has
// no title or prompt.
func (s *session) about() string {
	if s.Title != "" {
		return words.Line(s.Title, aboutLength)
	}
	anybodys := ""
	for _, m := range s.messages {
		if m.Kind != KindPrompt || m.Text == "" {
			continue
		}
		if m.typedBy() == TypedByHuman && !m.IsSidechain {
			return words.Line(cmp.Or(m.TypedText, m.Text), aboutLength)
		}
		anybodys = cmp.Or(anybodys, m.TypedText, m.Text)
	}
	return words.Line(cmp.Or(anybodys, s.About), aboutLength)
}
