package neovate

import "hindsql/tables"

// chain ties each message to the one that it goes on from: the one that
// parentUuid names, where the file holds it before this one. A root in the
// middle of a file is
//   - the summary of a compaction, or what a version to 0.17 wrote right after
//     one: it goes on from the line before (FORMAT.md §2.2);
//   - written by a process that resumed a file whose last line was no message
//     likewise;
//   - else the first prompt, typed anew: it goes on from nothing.
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

// abandoned are the messages that are not on the line of the conversation.
func (l *log) abandoned() []string {
	var uuids []string
	for _, e := range l.entries {
		if !e.active && e.UUID != "" {
			uuids = append(uuids, e.UUID)
		}
	}
	return uuids
}

// compaction is what the summary of one replaces: all that it goes on from, so
// that what had been abandoned before stays (FORMAT.md §6.1). Who asked for it is told by
// the line before: a turn that had ended is the user's own /compact.
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
