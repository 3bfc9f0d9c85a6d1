package vscode

import (
	"slices"
	"strconv"
	"strings"

	"hindsql/tables"
)

// How a call that the user saw was found among those that the model made (§5,
// identity), in the order in which they are trusted.
const (
	joinedByID       = "id"
	joinedByStripped = "stripped id"
	joinedByOrder    = "order"
	joinedNone       = "none"
)

// join brings together what an answer shows with its rounds: each shown call
// with the one that the model made, and text and thinking that no round holds.
func (c *chat) join(r *request, shown []item, model string) {
	lookAhead(shown)
	if len(r.rounds) == 0 {
		c.shownRounds(r, shown, model)
		return
	}
	var made []*call
	home := map[*call]*round{}
	for _, b := range r.rounds {
		for _, t := range b.calls {
			made = append(made, t)
			home[t] = b
		}
	}
	match(made, toolParts(shown))
	at := r.rounds[0] // that the shown parts have come to
	for _, it := range shown {
		switch {
		case it.tool == nil:
		case it.tool.call != nil:
			at = home[it.tool.call]
		default:
			at.calls = append(at.calls, c.shownCall(r, it.tool))
		}
	}
	giveThinking(r, shown, home)
	c.restOfText(r, shown, model)
}

// shownRounds makes messages of what an answer shows, where the log lost its
// rounds. After a call comes another message: which calls the model made at
// once isn't told, and mostly it makes one.
func (c *chat) shownRounds(r *request, shown []item, model string) {
	var b *round
	var text, thinking strings.Builder
	flush := func() {
		if b != nil {
			b.Text, b.Thinking = strings.TrimSpace(text.String()), thinking.String()
		}
		text.Reset()
		thinking.Reset()
	}
	for _, it := range shown {
		tells := strings.TrimSpace(it.text) != "" || it.thinking != "" || it.tool != nil
		if tells && (b == nil || len(b.calls) > 0) {
			flush()
			b = c.newRound(r, "response/"+strconv.Itoa(len(r.rounds)), model)
		}
		text.WriteString(it.text)
		thinking.WriteString(it.thinking)
		if it.tool != nil {
			b.calls = append(b.calls, c.shownCall(r, it.tool))
		}
	}
	flush()
}

func toolParts(shown []item) []*part {
	var list []*part
	for _, it := range shown {
		if it.tool != nil {
			list = append(list, it.tool)
		}
	}
	return list
}

// lookAhead notes for each call what came after it: where the model spoke on,
// it had the result.
func lookAhead(shown []item) {
	var on after
	for _, it := range slices.Backward(shown) {
		if it.tool != nil {
			it.tool.wentOn = on
			on.ran = on.ran || it.tool.decision.allowed()
		}
		on.text = on.text || strings.TrimSpace(it.text) != "" || strings.TrimSpace(it.thinking) != ""
	}
}

// match joins shown calls to made ones.
func match(made []*call, shown []*part) {
	matchIDs(made, shown, joinedByID, func(id string) string { return id })
	matchIDs(made, shown, joinedByStripped, stripped)
	matchOrder(made, shown)
}

// stripped is an id as the model gave it.
func stripped(id string) string {
	id, _, _ = strings.Cut(id, "__vscode")
	return id
}

func (t *call) joinTo(p *part, how string) { t.part, p.call, t.joined = p, t, how }

func matchIDs(made []*call, shown []*part, how string, idOf func(string) string) {
	byID := map[string]*call{}
	for _, t := range made {
		if t.part == nil && t.native != "" {
			byID[idOf(t.native)] = t
		}
	}
	for _, p := range shown {
		if t := byID[p.id]; t != nil && p.call == nil && t.part == nil {
			t.joinTo(p, how)
		}
	}
}

// matchOrder joins what is left by name, in the order of both.
func matchOrder(made []*call, shown []*part) {
	left := slices.DeleteFunc(slices.Clone(made), func(t *call) bool { return t.part != nil })
	for _, p := range shown {
		if p.call != nil {
			continue
		}
		if i := slices.IndexFunc(left, p.mayBe); i >= 0 {
			left[i].joinTo(p, joinedByOrder)
			left = left[i+1:]
		}
	}
}

// mayBe says whether a call's name is that of a part, as far as is known.
func (p *part) mayBe(t *call) bool {
	return t.ToolName == p.name || p.nameIsGuess && !isKnownName(t.ToolName)
}

// restOfText keeps text that stands after the last call and in no round: that
// of a round that was cut.
func (c *chat) restOfText(r *request, shown []item, model string) {
	from := 0
	for i, it := range shown {
		if it.tool != nil {
			from = i + 1
		}
	}
	var text strings.Builder
	for _, it := range shown[from:] {
		text.WriteString(it.text)
	}
	rest := strings.TrimSpace(text.String())
	last := r.rounds[len(r.rounds)-1]
	switch {
	case rest == "":
	case len(last.calls) == 0 && strings.TrimSpace(last.Text) == "":
		last.Text = rest
	case anyShown(last.calls):
		c.newRound(r, "rest", model).Text = rest
	}
}

func anyShown(calls []*call) bool {
	for _, t := range calls {
		if t.part != nil {
			return true
		}
	}
	return false
}

// giveThinking gives shown thoughts to the round of the next call, the last
// ones to the last round, where the rounds don't tell of thoughts themselves.
func giveThinking(r *request, shown []item, home map[*call]*round) {
	for _, b := range r.rounds {
		if b.Thinking != "" {
			return
		}
	}
	var thoughts strings.Builder
	flush := func(b *round) {
		b.Thinking = tables.JoinText(b.Thinking, thoughts.String())
		thoughts.Reset()
	}
	for _, it := range shown {
		thoughts.WriteString(it.thinking)
		if it.tool != nil && it.tool.call != nil && home[it.tool.call] != nil {
			flush(home[it.tool.call])
		}
	}
	flush(r.rounds[len(r.rounds)-1])
}

// uniqueID is a call's id in the session: its own where that is one.
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
