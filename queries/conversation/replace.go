package conversation

// Replace replaces every text of the conversation by f's result for it: what was said,
// calls with their inputs and outputs, refusals, titles and names. Ids and agents stay.
// isJSON says that a text is JSON, and must stay JSON.
func (c *Conversation) Replace(f func(text string, isJSON bool) string) {
	text := func(texts ...*string) {
		for _, t := range texts {
			if *t != "" {
				*t = f(*t, false)
			}
		}
	}
	session := func(s *Session) { text(&s.Project, &s.ProjectName, &s.About, &s.Model, &s.Branch, &s.Resume) }
	session(&c.Session)
	for i := range c.Subagents {
		session(&c.Subagents[i])
	}
	for i := range c.Pieces {
		p := &c.Pieces[i]
		text(&p.Text, &p.What)
		if call := p.Call; call != nil {
			text(&call.Tool, &call.Command, &call.File, &call.About, &call.Output)
			if call.Input != "" {
				call.Input = f(call.Input, true)
			}
			if call.Refusal != nil {
				text(&call.Refusal.Reason, &call.Refusal.Next, &call.Refusal.Diff)
			}
		}
	}
}
