package vscode

import "slices"

// carry keeps the calls that have no result because the answer reached the limit of
// rounds (FORMAT.md §4.3). VS Code then asks "Continue to iterate?", and runs these
// calls in the next request. Calls that already have a part in this request are left
// out.
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

// takeCarried returns the calls that carry kept from the previous request, if this
// request was sent by a button. Otherwise it returns nil.
func (c *chat) takeCarried(r *request) []*call {
	if r.removed || !r.button {
		return nil
	}
	return slices.Clone(c.carried)
}

// noteContinued notes which calls of the previous request VS Code shows in this
// request. If the user stops this request, the stop may have ended these calls.
func (r *request) noteContinued(shown []item, home map[*call]*round) {
	for _, it := range shown {
		if it.tool != nil && it.tool.call != nil && home[it.tool.call] == nil {
			it.tool.call.shownIn = r
			r.continued = append(r.continued, it.tool.call)
		}
	}
}

// lastCalls returns the calls of the last round that has calls; nil if none has.
func (r *request) lastCalls() []*call {
	for _, b := range slices.Backward(r.rounds) {
		if len(b.calls) > 0 {
			return b.calls
		}
	}
	return nil
}
