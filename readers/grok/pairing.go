package grok

import "time"

// mostLooked is the largest number of calls that may lie between a request and its
// call: calls that need no permission, or whose tool is unknown.
const mostLooked = 64

// pair gives each ask its call. The events name the tool, not the call, but calls are
// prepared one by one: the line of a call is written, then its permission is asked, and
// only after the answer the next call's line follows. So an ask belongs to the last
// call of its tool written before it, if what became of the call agrees (FORMAT.md
// §3.1). Calls that need no permission have no ask.
func pair(asks []*ask, calls []*call) {
	free := len(calls) // the asks below belong to calls before this one
	for i := len(asks) - 1; i >= 0; i-- {
		a := asks[i]
		for looked, n := 0, free-1; n >= 0 && looked < mostLooked; looked, n = looked+1, n-1 {
			if c := calls[n]; a.mayBe(c) {
				c.ask, free = a, n
				break
			}
		}
	}
}

// mayBe reports whether an ask can be about a call.
func (a *ask) mayBe(c *call) bool {
	if a.tool != c.ToolName || c.Timestamp.After(a.at.Add(askSlack)) || c.Timestamp.Before(a.began.Add(-clockSlack)) {
		return false
	}
	switch {
	case !c.ended:
		return true
	case a.answer == "":
		return false // the program was killed at the question
	case c.result.Timestamp.Before(a.answered.Add(-askSlack)):
		return false // it had ended by then
	case a.answer == allowed:
		return c.ran || !c.failed || !isRefusal(c.said)
	}
	return c.failed && !c.ran
}

// askSlack is the longest time by which a call's line can be later than its ask.
const askSlack = 20 * time.Millisecond
