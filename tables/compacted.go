package tables

import "slices"

// addCompaction records a compaction and which messages its summary replaces: all
// earlier messages, without those already replaced or preserved. Messages of subagents
// in the same session are not replaced: a subagent's own compaction replaces them.
// Messages of kind usage are never replaced, because they only hold tokens and were
// never sent to the model.
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
			if m := s.lines.message(uuid); m != nil && m.index < until {
				c.replace(m)
			}
		}
		slices.Sort(c.replaced)
	} else {
		c.replaceAll(until)
	}
	s.compactions = append(s.compactions, c)
}

// replaceAll replaces the messages before index until and drops them from compactable.
func (c *compaction) replaceAll(until int) {
	kept := map[*message]bool{}
	for _, uuid := range c.PreservedUUIDs {
		kept[c.lines.message(uuid)] = true
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

// aside reports whether a subagent's conversation in the session was compacted.
func (c *compaction) aside() bool { return c.at != nil && c.at.IsSidechain }

// after returns the index of the last message before the compaction; -1 if there is
// none.
func (c *compaction) after() int { return max(-1, indexOf(c.at)-1) }

func indexOf(m *message) int {
	if m == nil {
		return -1
	}
	return m.index
}
