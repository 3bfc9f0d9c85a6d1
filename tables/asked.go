package tables

// asked finds the prompt that each message of a session answers. In a session with
// subagents, each subagent's messages are a side of the conversation (see sides).
type asked struct {
	*session
	sides   []*message        // by index, see sides
	prompts []*message        // by message index: the last prompt on the message's side, up to the message
	waiting []*message        // by message index: a command not yet answered
	local   map[*message]bool // commands answered or given by the program, not the model
}

// asked returns the session's asked and computes it at the first call.
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
		case KindNotice, KindSummary, KindUsage, KindToolResult: // these don't show who answers the command
		default:
			if c != nil {
				prompt[side], command[side] = c, nil
			}
		}
		a.prompts[i], a.waiting[i] = prompt[side], command[side]
	}
	return a
}

// before returns the prompt that message m answers: a prompt, a command that the model
// answers, or the task that a parent gave to a subagent. It returns nil if there is
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

// begins reports whether message m begins a turn: a person, or a program, asks the
// model for something.
func (a *asked) begins(m *message) bool {
	return m.BeginsTurn || m.Kind == KindPrompt || m.Kind == KindCommand && !a.local[m]
}

// sides returns, by message index, which side of the conversation a message belongs to:
// nil for the session's own side, otherwise the first message of the subagent that
// speaks. The messages of subagents that run in parallel may be mixed.
func (s *session) sides() []*message {
	list := make([]*message, len(s.messages))
	var last *message
	for i, m := range s.messages {
		if !m.IsSidechain {
			continue
		}
		parent := s.lines.message(m.ParentUUID)
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

// isMain reports whether a person, or a program in a person's place, speaks in the
// session.
func (s *session) isMain() bool { return s.Session.Kind == SessionMain || s.Session.Kind == "" }
