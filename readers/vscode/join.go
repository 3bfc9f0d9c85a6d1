package vscode

import (
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/lists"
	"hindsql/tables"
)

// join combines the two records of an answer. It matches the calls that VS Code showed
// with the calls of the rounds. It adds shown calls, text and thinking outside all
// rounds.
func (c *chat) join(r *request, shown []item, model string) {
	setParents(shown)
	made, home := r.modelCalls()
	matchCalls(append(c.carriedCalls(r), made...), partsOfModel(shown))
	r.markContinued(shown, home)
	shown = c.dropOwnParts(r, shown)
	setFollowing(shown)
	r.partial = textAfterCalls(shown)
	if len(r.rounds) == 0 {
		c.addShownRounds(r, shown, model)
		return
	}
	tail := 0 // index after the last shown call that is in a round
	for i, it := range shown {
		if it.tool != nil && home[it.tool.call] != nil {
			tail = i + 1
		}
	}
	at := r.rounds[0] // round of the current part
	for _, it := range shown[:tail] {
		switch {
		case it.tool == nil:
		case home[it.tool.call] != nil:
			at = home[it.tool.call]
		case it.tool.isOutsideRounds():
			at.calls = append(at.calls, c.newShownCall(r, it.tool, at))
		}
	}
	c.addRest(r, shown[tail:], model)
	assignThinking(r, shown, home)
}

// modelCalls returns the calls of a request's rounds in order, and the round of each
// call. It also sets on each call whether another round follows: then the model had the
// call's result.
func (r *request) modelCalls() (made []*call, home map[*call]*round) {
	home = map[*call]*round{}
	for i, b := range r.rounds {
		for _, t := range b.calls {
			made = append(made, t)
			home[t] = b
			t.round, t.resultSeen = b, i < len(r.rounds)-1
		}
	}
	return made, home
}

// isOutsideRounds reports whether the part is a call of the main model (not of a
// subagent) that is in no round.
func (p *part) isOutsideRounds() bool { return p.call == nil && p.subagent == "" }

// partsOfModel returns the parts that are calls of the main model. A subagent's calls
// are left out, because they are in no round.
func partsOfModel(shown []item) []*part {
	var list []*part
	for _, it := range shown {
		if it.tool != nil && it.tool.subagent == "" {
			list = append(list, it.tool)
		}
	}
	return list
}

// addShownRounds makes messages from the parts that VS Code showed, for a log without
// rounds. A new message begins after each call. The log doesn't group the calls by
// message. Most messages have one call.
func (c *chat) addShownRounds(r *request, shown []item, model string) {
	var b *round
	from := 0 // index of b's first part
	flush := func(until int) {
		if b != nil {
			b.Text, b.Thinking = strings.TrimSpace(textOf(shown[from:until])), thinkingOf(shown[from:until])
		}
		from = until
	}
	for i, it := range shown {
		isShownOnly := it.tool != nil && it.tool.isOutsideRounds()
		hasContent := strings.TrimSpace(it.text) != "" || it.thinking != "" || isShownOnly
		if hasContent && (b == nil || len(b.calls) > 0) {
			flush(i)
			b = c.newRound(r, "response/"+strconv.Itoa(len(r.rounds)), model)
		}
		if isShownOnly {
			b.calls = append(b.calls, c.newShownCall(r, it.tool, b))
		}
	}
	flush(len(shown))
}

func textOf(shown []item) string { return joinItems(shown, func(it item) string { return it.text }) }

func thinkingOf(shown []item) string {
	return joinItems(shown, func(it item) string { return it.thinking })
}

// joinItems joins the texts of items. A single item's text, which may be large, isn't
// copied.
func joinItems(shown []item, of func(item) string) string {
	var list []string
	for _, it := range shown {
		if s := of(it); s != "" {
			list = append(list, s)
		}
	}
	return strings.Join(list, "")
}

// setFollowing sets on each shown call what follows it in the answer: text, calls or
// edits. If text or an edit follows, the call had ended. For a call that started a
// subagent, the subagent's calls don't count as following.
func setFollowing(shown []item) {
	var on, outer following
	for _, it := range slices.Backward(shown) {
		if it.tool != nil {
			it.tool.followedBy = on
			on.call = true
			if it.tool.subagent == "" {
				it.tool.followedBy = outer
				outer.call = true
			}
		}
		hasText := strings.TrimSpace(it.text) != "" || strings.TrimSpace(it.thinking) != ""
		on.text, outer.text = on.text || hasText, outer.text || hasText
		on.edit = it.edit || it.tool == nil && on.edit
		outer.edit = it.edit || it.tool == nil && outer.edit
	}
}

// addRest handles the parts after the last shown call that is in a round. They belong to
// a round that the user stopped: its entry in the rounds often has neither text nor
// calls.
func (c *chat) addRest(r *request, tail []item, model string) {
	parts := lists.Filter(partsOfModel(tail), (*part).isOutsideRounds)
	rest := strings.TrimSpace(textOf(tail))
	last := r.rounds[len(r.rounds)-1]
	fresh := len(last.calls) == 0
	switch {
	case rest == "" && len(parts) == 0:
		return
	case !fresh && slices.ContainsFunc(last.calls, func(t *call) bool { return t.part != nil }):
		last, fresh = c.newRound(r, "rest", model), true
		for _, t := range r.rounds[len(r.rounds)-2].calls {
			t.resultSeen = true
		}
	}
	if fresh && strings.TrimSpace(last.Text) == "" {
		last.Text = rest
	}
	for _, p := range parts {
		last.calls = append(last.calls, c.newShownCall(r, p, last))
	}
}

// textAfterCalls returns the model's text since its last call. If the user stopped the
// answer, only this text is left of the unfinished message.
func textAfterCalls(shown []item) string {
	from := 0
	for i, it := range shown {
		if it.tool != nil {
			from = i
		}
	}
	return strings.TrimSpace(textOf(shown[from:]))
}

// assignThinking assigns each shown piece of thinking to a round. A piece before a call
// belongs to the round of that call, a piece after the last call to the last round. If
// any round has thinking of its own in the log, assignThinking does nothing.
func assignThinking(r *request, shown []item, home map[*call]*round) {
	for _, b := range r.rounds {
		if b.Thinking != "" {
			return
		}
	}
	from := 0
	flush := func(b *round, until int) {
		b.Thinking = tables.JoinText(b.Thinking, thinkingOf(shown[from:until]))
		from = until
	}
	for i, it := range shown {
		if it.tool != nil && it.tool.call != nil && home[it.tool.call] != nil {
			flush(home[it.tool.call], i+1)
		}
	}
	flush(r.rounds[len(r.rounds)-1], len(shown))
}

// uniqueID returns the id that the model gave the call. If the id is empty or already
// used, it returns a made-up id.
func (c *chat) uniqueID(r *request, id string) string {
	r.calls++
	if id == "" || c.ids[id] {
		id = r.uuid + "/" + id + "#" + strconv.Itoa(r.calls)
	}
	for c.ids[id] {
		id += "'"
	}
	c.ids[id] = true
	return id
}
