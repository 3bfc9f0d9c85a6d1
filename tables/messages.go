package tables

import (
	"slices"
	"strings"
	"time"
)

var messages = newRowTable(Table{
	Name: "messages",
	Doc:  "One row per message of the model API: log lines with the same API message id form one row, with tokens counted once.",
	Key:  []string{"agent", "session_id", "message_index"},
}, withOrigin(func(m *message) *Source { return &m.session.file.Source }, []column[message]{
	instant("timestamp", "time of the message's first line", func(m *message) time.Time { return m.Timestamp }),
	text("agent", "agent that wrote the log", func(m *message) string { return m.session.file.Agent }),
	text("project", "working directory of the session", func(m *message) string { return m.session.Project }),
	text("kind", "prompt, response, tool_result, command, command_output, injected, summary, interruption, notice, error or usage (tokens in a recorded total, but in no answer, or of a second model inside an answer)", func(m *message) string { return m.Message.Kind }),
	text("role", "user, assistant or system", func(m *message) string { return m.Role }),
	text("typed_by", "author of a prompt or command: human, or a program in a person's place, in the agent's own word: sdk, scheduled, task_notification …; otherwise null", (*message).typedBy),
	long(text("text", "whole text; null for the tool_result of a call, see tool_calls.output", func(m *message) string { return m.Text })),
	long(text("typed_text", "the author's own words in text, if a program put words around them (an envelope, a skill's file, a paste's tags); otherwise null", func(m *message) string { return m.TypedText })),
	long(text("thinking", "thinking, if kept in the log", func(m *message) string { return m.Thinking })),
	text("model", "model that wrote the message", func(m *message) string { return m.Model }),
	text("stop_reason", "why the model stopped: end_turn, tool_use, max_tokens …", func(m *message) string { return m.StopReason }),
	maybeBigint("input_tokens", "tokens read and not cached, null if not recorded", func(m *message) Maybe[int64] { return m.InputTokens }),
	maybeBigint("output_tokens", "tokens written", func(m *message) Maybe[int64] { return m.OutputTokens }),
	maybeBigint("cache_read_tokens", "tokens read from the prompt cache", func(m *message) Maybe[int64] { return m.CacheReadTokens }),
	maybeBigint("cache_write_tokens", "tokens written to the prompt cache", func(m *message) Maybe[int64] { return m.CacheWriteTokens }),
	maybeBigint("cache_write_1h_tokens", "part of cache_write_tokens kept for an hour, at a higher price; null if the log doesn't name the lifetime", func(m *message) Maybe[int64] { return m.CacheWrite1h }),
	maybeBigint("reasoning_tokens", "tokens of hidden reasoning", func(m *message) Maybe[int64] { return m.ReasoningTokens }),
	maybeBoolean("tokens_reliable", "false if the log has only the count at the start of the stream, or the output alone, without totals of the rest; null without tokens", func(m *message) Maybe[bool] { return m.TokensReliable }),
	boolean("is_active", "false on an abandoned branch, rewound or superseded", func(m *message) bool { return !m.inactive }),
	boolean("is_sidechain", "true for a subagent's message", func(m *message) bool { return m.IsSidechain }),
	position("segment", "0-based number of the part between clears", func(m *message) int { return m.segment }),
	text("session_id", "session of the message", func(m *message) string { return m.session.SessionID }),
	position("message_index", "0-based position among the session's messages, in the order of the file", func(m *message) int { return m.index }),
	text("uuid", "id of the message's first log line", func(m *message) string { return m.UUID }),
	text("parent_uuid", "id of the parent line, answered by this line", func(m *message) string { return m.ParentUUID }),
	text("message_id", "id from the model API", func(m *message) string { return m.MessageID }),
	text("origin_session_id", "session id on the line, if not this session's: the line is a copy from that session", func(m *message) string { return m.OriginSessionID }),
	text("request_id", "id of the API request", func(m *message) string { return m.RequestID }),
	linked[message]("cost_estimated_usd", "DOUBLE", "estimated cost in US dollars, by the dated list of prices (docs/prices.md), not by the prices of the day; null if the model has no price"),
	linked[message]("recorded_output_tokens", "BIGINT", "output tokens in the message's own log, if output_tokens has the larger count of a replay; otherwise null"),
	boolean("is_copy", "true if the message also stands in an older session (forks, resumes, replays), in another file of the session or on another machine", func(m *message) bool { return false }),
	bigint("source_id", "the log file, see sources", func(m *message) int64 { return m.session.file.id }),
	bigint("line", "1-based number of the message's first line in the file", func(m *message) int64 { return m.Line }),
	long(object("extra", "facts recorded only by this agent", func(m *message) string { return m.Message.Extra })),
}))

// lines finds the message of each line's uuid. Most sessions never ask, so the map is
// made when one does.
type lines struct {
	list   []lineOfMessage // in the order of the log
	byUUID map[string]*message
	known  int // number of lines in byUUID
}

type lineOfMessage struct {
	uuid    string
	message *message
}

func (l *lines) add(uuid string, m *message) {
	if uuid != "" {
		l.list = append(l.list, lineOfMessage{uuid, m})
	}
}

// message returns the message of the last line so far with the uuid, or nil.
func (l *lines) message(uuid string) *message {
	if l.byUUID == nil {
		l.byUUID = make(map[string]*message, len(l.list))
	}
	for _, line := range l.list[l.known:] {
		l.byUUID[line.uuid] = line.message
	}
	l.known = len(l.list)
	return l.byUUID[uuid]
}

// addCompaction records a compaction and which messages its summary replaces: all
// earlier messages, without those already replaced or preserved. Messages of subagents
// in the same session are not replaced: a subagent's own compaction replaces them.
// Messages of kind usage are never replaced, because they only hold tokens and were
// never sent to the model.
func (s *session) addCompaction(e *Compaction) {
	c := &compaction{session: s, Compaction: e, at: s.current, replaced: []int32{}}
	until := c.lastIndex() + 1
	for ; s.considered < until; s.considered++ {
		m := s.messages[s.considered]
		s.compactable[m.IsSidechain] = append(s.compactable[m.IsSidechain], m)
		if e.ReplacedUUIDs != nil && m.UUID == "" {
			c.replace(m)
		}
	}
	if e.ReplacedUUIDs != nil {
		for _, uuid := range e.ReplacedUUIDs {
			if m := s.lines.message(uuid); m != nil && m.index < until {
				c.replace(m)
			}
		}
		slices.Sort(c.replaced)
	} else {
		c.replaceAll(until)
	}
	s.compactions = append(s.compactions, c)
}

// replaceAll replaces the messages before index until and drops them from compactable.
func (c *compaction) replaceAll(until int) {
	kept := map[*message]bool{}
	for _, uuid := range c.PreservedUUIDs {
		kept[c.lines.message(uuid)] = true
	}
	c.compactable[c.isSidechain()] = slices.DeleteFunc(c.compactable[c.isSidechain()], func(m *message) bool {
		if m.index >= until || kept[m] {
			return m.replaced
		}
		c.replace(m)
		return true
	})
}

func (c *compaction) replace(m *message) {
	if !m.replaced && m.IsSidechain == c.isSidechain() && m.Kind != KindUsage {
		m.replaced = true
		c.replaced = append(c.replaced, int32(m.index))
	}
}

// isSidechain reports whether a subagent's conversation in the session was compacted.
func (c *compaction) isSidechain() bool { return c.at != nil && c.at.IsSidechain }

// lastIndex returns the index of the last message before the compaction; -1 if there is
// none.
func (c *compaction) lastIndex() int { return max(-1, indexOf(c.at)-1) }

func indexOf(m *message) int {
	if m == nil {
		return -1
	}
	return m.index
}

// JoinText joins two texts with an empty line. If either text is empty, JoinText
// returns the other. To join many texts without copying them each time, use
// [Paragraphs].
func JoinText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// Paragraphs is a buffer for a growing text, to avoid copying a thousand parts a
// thousand times. The zero Paragraphs is empty.
type Paragraphs struct{ room strings.Builder }

// Join works as [JoinText]. The first text may be Join's last result or any text.
func (p *Paragraphs) Join(text, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	if p.room.String() != text { // comparing a string with itself is free
		p.room.Reset()
		p.room.Grow(len(text) + 2 + len(more))
		p.room.WriteString(text)
	}
	p.room.WriteString("\n\n")
	p.room.WriteString(more)
	return p.room.String()
}

// growing holds the texts of a message that comes in several parts.
type growing struct{ text, thinking Paragraphs }

// AddText adds a paragraph to the message's text.
func (m *Message) AddText(more string) {
	m.Text = m.grows().text.Join(m.Text, more)
}

// AddThinking adds a paragraph to the message's thinking.
func (m *Message) AddThinking(more string) {
	m.Thinking = m.grows().thinking.Join(m.Thinking, more)
}

func (m *Message) grows() *growing {
	if m.growing == nil {
		m.growing = &growing{}
	}
	return m.growing
}
