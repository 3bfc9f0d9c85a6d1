package tables

// asked tells, of each message of a session, which prompt it belongs to.
type asked struct {
	*session
	sides   []*message        // by index, see sides
	prompts []*message        // by index: the last prompt at it or before, of its side
	waiting []*message        // by index: a command that nothing followed yet
	local   map[*message]bool // commands that the program answered, or gave, by itself
}

// asked goes through the messages, once a session.
func (s *session) asked() *asked {
	if s.turnsAsked == nil {
		s.turnsAsked = s.whoAsked()
	}
	return s.turnsAsked
}

func (s *session) whoAsked() *asked {
	a := &asked{session: s, sides: s.sides(), prompts: make([]*message, len(s.messages)), waiting: make([]*message, len(s.messages)), local: map[*message]bool{}}
	prompt, command := map[*message]*message{}, map[*message]*message{} // by side
	for i, m := range s.messages {
		side := a.sides[i]
		c := command[side]
		switch m.Kind {
		case KindPrompt:
			a.local[c] = true
			prompt[side], command[side] = m, nil
		case KindCommand:
			if a.local[m] = m.TypedBy == TypedByAgent; !a.local[m] {
				a.local[c] = true
				command[side] = m
			}
		case KindCommandOutput:
			a.local[c] = true
			command[side] = nil
		case KindNotice, KindSummary, KindUsage, KindToolResult: // they tell nothing of it
		default:
			if c != nil {
				prompt[side], command[side] = c, nil
			}
		}
		a.prompts[i], a.waiting[i] = prompt[side], command[side]
	}
	return a
}

// before is the prompt that was being answered at a message: a prompt, a
// command that the model answers, or what a subagent's parent asked; nil for
// none.
func (a *asked) before(m *message) *message {
	if m == nil {
		return nil
	}
	if c := a.waiting[m.index]; c != nil && !a.local[c] {
		return c
	}
	if p := a.prompts[m.index]; p != nil {
		return p
	}
	first := a.sides[m.index]
	if first == nil && !a.isMain() {
		first = a.messages[0]
	}
	if first != nil && first.Kind == KindInjected && first.Role == RoleUser {
		return first
	}
	return nil
}

// begins says whether a turn begins at the message: somebody asked the model for
// something.
func (a *asked) begins(m *message) bool {
	return m.BeginsTurn || m.Kind == KindPrompt || m.Kind == KindCommand && !a.local[m]
}

// sides tells, by index, which messages are of one conversation: nil for the
// session's own; of a subagent inside it, the first message. Subagents that ran
// at once stand between each other.
func (s *session) sides() []*message {
	list := make([]*message, len(s.messages))
	var last *message
	for i, m := range s.messages {
		if !m.IsSidechain {
			continue
		}
		parent := s.byUUID[m.ParentUUID]
		switch {
		case m.ParentUUID != "" && parent != nil && parent.IsSidechain && parent.index < i:
			last = list[parent.index]
		case last == nil, m.ParentUUID == "" && m.Role == RoleUser && m.Kind == KindInjected && s.isMain():
			last = m
		}
		list[i] = last
	}
	return list
}

// isMain says whether a person, or a program in a person's place, speaks in the session.
func (s *session) isMain() bool { return s.Session.Kind == SessionMain || s.Session.Kind == "" }
