package neovate

import "hindsql/tables"

// chain sets each message's parent: the message named by parentUuid, if it stands
// earlier in the file, otherwise the message before. A root is a message without
// parentUuid. In the middle of a file, it has no parent only if it is a user's message:
// the user went back and typed the first prompt anew. Other roots get the message
// before as parent (FORMAT.md §2.2): a compaction's summary; up to 0.17, an answer
// right after a compaction; a message after a line that is no message, written by a
// process that resumed the file; and every root of a subagent's file.
func (l *log) chain() {
	for i, e := range l.entries {
		if i == 0 {
			continue
		}
		e.parent = l.entries[i-1]
		named := l.byUUID[e.ParentUUID]
		switch {
		case e.ParentUUID == "" && e.role == "user" && e.Kind != tables.KindSummary && !e.broken && !l.agent:
			e.parent = nil
		case e.ParentUUID != "" && named != nil && named.place < i:
			e.parent = named
		}
	}
	if n := len(l.entries); n > 0 {
		for e := l.entries[n-1]; e != nil; e = e.parent {
			e.active = true
		}
	}
}

// abandoned returns the messages that are not on the path from the last message to its
// root.
func (l *log) abandoned() []string {
	var uuids []string
	for _, e := range l.entries {
		if !e.active && e.UUID != "" {
			uuids = append(uuids, e.UUID)
		}
	}
	return uuids
}

// compaction returns the compaction of a summary. It replaces the messages above the
// summary, but not messages abandoned earlier (FORMAT.md §6.1). The message before
// tells the trigger: if the turn had ended, the user typed /compact.
func (l *log) compaction(e *entry) *tables.Compaction {
	c := &tables.Compaction{
		UUID:            e.UUID,
		Trigger:         "manual",
		TriggerInferred: true,
		Summary:         e.Text,
		SummarySource:   tables.SummaryInline,
		Timestamp:       e.Timestamp,
	}
	if before := e.parent; before != nil {
		c.LogicalParentUUID = before.UUID
		if before.Kind == tables.KindPrompt || before.Kind == tables.KindToolResult && !before.settling {
			c.Trigger = "auto"
		}
	}
	c.ReplacedUUIDs = []string{}
	for p := e.parent; p != nil && !p.replaced; p = p.parent {
		p.replaced = true
		c.ReplacedUUIDs = append(c.ReplacedUUIDs, p.UUID)
	}
	return c
}
