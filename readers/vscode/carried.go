package vscode

import "slices"

// carry keeps the calls that the limit of rounds left without a result
// (FORMAT.md §4.3): VS Code asks "Continue to iterate?", and makes them in the
// next request. One whose input was streamed is shown here already.
func (c *chat) carry(r *request, exceeded bool) {
	if r.removed {
		return
	}
	c.carried = nil
	for _, t := range r.lastCalls() {
		if exceeded && t.part == nil && !t.answered {
			c.carried = append(c.carried, t)
		}
	}
}

// takeCarried are the calls that the request before left, where a button was
// pressed to go on with them.
func (c *chat) takeCarried(r *request) []*call {
	if r.removed || !r.button {
		return nil
	}
	return slices.Clone(c.carried)
}

// noteContinued notes the calls of the request before that this one shows: what
// ended this request may have ended them.
func (r *request) noteContinued(shown []item, home map[*call]*round) {
	for _, it := range shown {
		if it.tool != nil && it.tool.call != nil && home[it.tool.call] == nil {
			it.tool.call.shownIn = r
			r.continued = append(r.continued, it.tool.call)
		}
	}
}

// lastCalls are the calls of the last round that made any.
func (r *request) lastCalls() []*call {
	for _, b := range slices.Backward(r.rounds) {
		if len(b.calls) > 0 {
			return b.calls
		}
	}
	return nil
}
