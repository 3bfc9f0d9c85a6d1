package tables

// promptFinder finds the prompt that each message of a session answers. In a session with
// subagents, each subagent's messages are a side of the conversation (see sides).
type promptFinder struct {
	*session
	sides           []*message        // by index, see sides
	prompts         []*message        // by message index: the last prompt on the message's side, up to the message
	waiting         []*message        // by message index: a command not yet answered
	answeredLocally map[*message]bool // commands answered or typed by the program, not the model
}

// promptFinder returns the session's promptFinder and makes it at the first call.
func (s *session) promptFinder() *promptFinder {
	if s.finder == nil {
		s.finder = s.newPromptFinder()
	}
	return s.finder
}

func (s *session) newPromptFinder() *promptFinder {
	a := &promptFinder{session: s, sides: s.sides(), prompts: make([]*message, len(s.messages)), waiting: make([]*message, len(s.messages)), answeredLocally: map[*message]bool{}}
	prompt, command := map[*message]*message{}, map[*message]*message{} // by side
	for i, m := range s.messages {
		side := a.sides[i]
		c := command[side]
		switch m.Kind {
		case KindPrompt:
			a.answeredLocally[c] = true
			prompt[side], command[side] = m, nil
		case KindCommand:
			if a.answeredLocally[m] = m.TypedBy == TypedByAgent; !a.answeredLocally[m] {
				a.answeredLocally[c] = true
				command[side] = m
			}
		case KindCommandOutput:
			a.answeredLocally[c] = true
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

// promptFor returns the prompt that message m answers: a prompt, a command that the model
// answers, or the task that a parent gave to a subagent. It returns nil if there is
// none.
func (a *promptFinder) promptFor(m *message) *message {
	if m == nil {
		return nil
	}
	if c := a.waiting[m.index]; c != nil && !a.answeredLocally[c] {
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

// beginsTurn reports whether message m begins a turn: a person, or a program, asks the
// model for something.
func (a *promptFinder) beginsTurn(m *message) bool {
	return m.BeginsTurn || m.Kind == KindPrompt || m.Kind == KindCommand && !a.answeredLocally[m]
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
