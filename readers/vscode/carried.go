package vscode

import "slices"

// carry keeps the calls that the limit of rounds left without a result (FORMAT.md
// §4.3). VS Code asks "Continue to iterate?" and runs them in the next request. A call
// with streamed input already has its part in this request.
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

// takeCarried returns the calls carried over from the request before, if the user
// pressed a button to continue them.
func (c *chat) takeCarried(r *request) []*call {
	if r.removed || !r.button {
		return nil
	}
	return slices.Clone(c.carried)
}

// noteContinued records the calls of the request before that this request shows. The
// end of this request may have ended them.
func (r *request) noteContinued(shown []item, home map[*call]*round) {
	for _, it := range shown {
		if it.tool != nil && it.tool.call != nil && home[it.tool.call] == nil {
			it.tool.call.shownIn = r
			r.continued = append(r.continued, it.tool.call)
		}
	}
}

// lastCalls returns the calls of the last round that made any.
func (r *request) lastCalls() []*call {
	for _, b := range slices.Backward(r.rounds) {
		if len(b.calls) > 0 {
			return b.calls
		}
	}
	return nil
}
