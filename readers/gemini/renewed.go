package gemini

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// After Esc at a question, Gemini CLI writes the model's history again: a record with a
// new id for each of its entries, and then a checkpoint of these ids (FORMAT.md §3.3).
// An entry repeats one message, or several of the same role in a row.

// aliases holds the messages that such a record repeats, by the record's id.
type aliases map[string][]*entry

// find returns the messages that an id names; nil if it is unknown.
func (a aliases) find(c *chat, id string) []*entry {
	if e := c.byID[id]; e != nil && a[id] == nil {
		return []*entry{e}
	}
	return a[id]
}

// add finds the records that a checkpoint's list names and that repeat earlier messages,
// and has their ids name these messages.
func (a aliases) add(c *chat, list []*fastjson.Value) {
	listed := map[string]bool{}
	for _, m := range list {
		listed[readers.Text(m, "id")] = true
	}
	delete(listed, "")
	copies := map[*entry]bool{}
	for i := len(c.entries) - 1; i >= 0 && len(copies) < len(list)+farthest; i-- {
		e := c.entries[i]
		if e.isInHistory() && (!listed[e.native] || e.Model != "" || e.InputTokens.OK) {
			break // only the model's own records have tokens
		}
		copies[e] = e.isInHistory()
	}
	if len(list) == 0 || !copies[c.byID[readers.Text(list[0], "id")]] {
		return // not written anew from its beginning
	}
	before := slices.DeleteFunc(slices.Clone(c.view), func(e *entry) bool { return copies[e] })
	dropped := map[*entry]bool{}
	for i, m := range list {
		e := c.byID[readers.Text(m, "id")]
		if !copies[e] {
			continue
		}
		repeated, rest := repeatedBy(e, before)
		switch {
		case repeated != nil:
			c.byID[e.native], a[e.native], dropped[e] = repeated[0], repeated, true
			before = rest
		case i == 0:
			return
		}
	}
	isDropped := func(e *entry) bool { return dropped[e] }
	c.entries, c.view = slices.DeleteFunc(c.entries, isDropped), slices.DeleteFunc(c.view, isDropped)
}

// repeatedBy returns the messages that e repeats: messages in a row that together have its
// text and its calls. rest has the messages after them.
func repeatedBy(e *entry, list []*entry) (repeated, rest []*entry) {
	ids := e.callIDs()
	for from := range min(len(list), farthest) {
		text, open := e.sent, len(ids)
		for to := from; to < len(list) && list[to].kind == e.kind; to++ {
			var ok bool
			if text, ok = cutText(text, list[to].sent); !ok {
				break
			}
			own := list[to].callIDs()
			if !containsAll(ids, own) {
				break
			}
			if open -= len(own); open == 0 && text == "" {
				return list[from : to+1], list[to+1:]
			}
		}
	}
	return nil, nil
}

// callIDs returns the ids of the message's calls, and of the calls that it answers.
func (e *entry) callIDs() readers.Set {
	ids := readers.Set{}
	for _, id := range e.asked {
		ids[id] = true
	}
	for _, t := range slices.Concat(e.calls, e.answers) {
		ids[t.ToolUseID] = true
	}
	return ids
}

// containsAll reports whether all ids of some are in a set.
func containsAll(ids, some readers.Set) bool {
	for id := range some {
		if !ids[id] {
			return false
		}
	}
	return true
}

const blanks = " \t\r\n"

// cutText cuts a beginning off a text. White space doesn't count, because the two forms
// of a message join their parts differently.
func cutText(text, start string) (rest string, ok bool) {
	for {
		text, start = strings.TrimLeft(text, blanks), strings.TrimLeft(start, blanks)
		switch {
		case start == "":
			return text, true
		case text == "" || text[0] != start[0]:
			return text, false
		}
		text, start = text[1:], start[1:]
	}
}
