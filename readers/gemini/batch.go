package gemini

import "hindsql/tables"

// batchBefore returns the index of the message before a notice. If that message has the
// results of a cancelled batch, batchBefore returns the index of the message with the
// calls.
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

// endedTurn reports whether a message's batch was cancelled as a whole, which ends the
// turn, and not by an earlier Esc.
func (c *chat) endedTurn(i int) bool { return c.allCancelled(i) && !c.cutByNotice(i) }

// topicTool names the tool that only notes the topic. The tool needs no approval, and
// succeeds even in a declined batch.
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

// lastBatch returns the calls recorded last. Before 0.32 a message could hold the calls
// of several responses.
func (e *entry) lastBatch() []*call {
	var batch []*call
	for _, t := range e.calls {
		if t.finished.Equal(e.calls[len(e.calls)-1].finished) {
			batch = append(batch, t)
		}
	}
	return batch
}

// cutByNotice reports whether a message was made to hold a batch that Esc had cut.
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
