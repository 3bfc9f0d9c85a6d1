package gemini

import "hindsql/tables"

// batchBefore returns the index of the message to which the notice "Request cancelled."
// refers: the last message before the notice. If that message holds the results of a
// cancelled batch (the calls of one response), it is the message with the calls.
func (c *chat) batchBefore(i int) int {
	at := c.spokenBefore(i)
	if at < 0 || c.entries[at].Message.Kind != tables.KindToolResult {
		return at
	}
	for _, a := range c.entries[at].answers {
		if t := c.calls[a.ToolUseID]; t == nil || !t.wasCancelled() {
			return at
		}
	}
	if message := c.spokenBefore(at); message >= 0 && c.allCancelled(message) {
		return message
	}
	return at
}

// endedTurn reports whether the user refused the message's whole batch, which ends the
// turn. It returns false if the batch was cancelled by an earlier Esc.
func (c *chat) endedTurn(i int) bool { return c.allCancelled(i) && !c.cutByNotice(i) }

// topicTool names a tool that only notes the conversation's topic. It needs no
// approval, so it succeeds even if the user refuses the rest of the batch.
const topicTool = "update_topic"

// allCancelled reports whether all calls of a message's last batch were cancelled.
func (c *chat) allCancelled(i int) bool {
	all := false
	for _, t := range c.entries[i].lastBatch() {
		if t.ToolName == topicTool {
			continue
		}
		if !t.wasCancelled() {
			return false
		}
		all = true
	}
	return all
}

// lastBatch returns the calls that were recorded last in a message. Before 0.32, a
// message could hold the calls of several responses.
func (e *entry) lastBatch() []*call {
	var batch []*call
	for _, t := range e.calls {
		if t.finished.Equal(e.calls[len(e.calls)-1].finished) {
			batch = append(batch, t)
		}
	}
	return batch
}

// cutByNotice reports whether Gemini CLI wrote the message only to record the calls
// that the user had stopped with Esc. It has no text and follows the notice "Request
// cancelled.".
func (c *chat) cutByNotice(i int) bool {
	e := c.entries[i]
	if e.kind != "gemini" || e.Text != "" || !c.noticeBefore(i) {
		return false
	}
	for _, t := range e.calls {
		if t.wasCancelled() {
			return true
		}
	}
	return false
}
