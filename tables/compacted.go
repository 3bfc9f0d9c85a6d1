package tables

import "slices"

// addCompaction notes what the summary replaces: the messages that no earlier
// compaction did, but for those it preserved and those of inline subagents,
// whose own compactions replace theirs. Tokens that no answer names were never sent.
func (s *session) addCompaction(e *Compaction) {
	c := &compaction{session: s, Compaction: e, at: s.open, replaced: []int32{}}
	until := c.after() + 1
	for ; s.considered < until; s.considered++ {
		m := s.messages[s.considered]
		s.compactable[m.IsSidechain] = append(s.compactable[m.IsSidechain], m)
		if e.ReplacedUUIDs != nil && m.UUID == "" {
			c.replace(m)
		}
	}
	if e.ReplacedUUIDs != nil {
		for _, uuid := range e.ReplacedUUIDs {
			if m := s.byUUID[uuid]; m != nil && m.index < until {
				c.replace(m)
			}
		}
		slices.Sort(c.replaced)
	} else {
		c.replaceAll(until)
	}
	s.compactions = append(s.compactions, c)
}

// replaceAll replaces what stands before an index, and no longer looks at it.
func (c *compaction) replaceAll(until int) {
	kept := map[*message]bool{}
	for _, uuid := range c.PreservedUUIDs {
		kept[c.byUUID[uuid]] = true
	}
	c.compactable[c.aside()] = slices.DeleteFunc(c.compactable[c.aside()], func(m *message) bool {
		if m.index >= until || kept[m] {
			return m.replaced
		}
		c.replace(m)
		return true
	})
}

func (c *compaction) replace(m *message) {
	if !m.replaced && m.IsSidechain == c.aside() && m.Kind != KindUsage {
		m.replaced = true
		c.replaced = append(c.replaced, int32(m.index))
	}
}

// aside says whether it is a subagent's own.
func (c *compaction) aside() bool { return c.at != nil && c.at.IsSidechain }

// after is the index of the last message before the boundary, -1 for none.
func (c *compaction) after() int { return max(-1, indexOf(c.at)-1) }

func indexOf(m *message) int {
	if m == nil {
		return -1
	}
	return m.index
}
