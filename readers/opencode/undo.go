package opencode

import (
	"github.com/valyala/fastjson"

	"hindsql/readers"
)

// undone marks what an undo took back: while it stands, the session names the
// first message of it (FORMAT.md §7). The next prompt deletes those messages.
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
	if part != "" { // of that message something stays
		from++
	}
	for _, e := range c.entries[from:] {
		e.inactive = true
	}
}
