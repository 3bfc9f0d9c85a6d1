package opencode

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// undone marks the messages that the user undid. Until the next prompt, the session
// names the first undone message (FORMAT.md §7); the prompt then deletes the messages.
func (c *session) undone() {
	if c.revert == "" {
		return
	}
	first, part := "", ""
	c.object([]byte(c.revert), 0, "the session's undo", func(v *fastjson.Value) {
		first, part = readers.Text(v, "messageID"), readers.Text(v, "partID")
	})
	e := c.byID[first]
	if e == nil {
		return
	}
	from := e.place
	if part != "" { // a part of the first message stays
		from++
	}
	for _, e := range c.entries[from:] {
		e.inactive = true
	}
}
