package claude

import (
	"encoding/json"
	"path"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// system takes a system line. One without text becomes no row (FORMAT.md §3.2).
func (t *transcript) system(r *record) {
	content := readers.Text(r.Value, "content")
	m := t.message(r, tables.RoleSystem, tables.KindNotice)
	m.Text = content
	if tellsOfExpiry(content) {
		t.ends.expired[r.uuid] = true
	}
	switch readers.Text(r.Value, "subtype") {
	case "api_error":
		t.retry(r, m)
		return
	case "microcompact_boundary":
		m.Extra = readers.Object(map[string]any{"microcompact": rawJSON(r.Get("microcompactMetadata"))})
	case "model_refusal_fallback":
		t.retracted(r)
	case "local_command":
		if m.Kind = commandKind(content); m.Kind == tables.KindCommand {
			m.Text = commandText(content)
		}
	}
	if content == "" {
		t.chain.pass(r)
		return
	}
	t.say(r, m)
	if m.Kind == tables.KindCommand {
		t.clearCommand(r, m)
	}
}

// commandKind is the kind of what a local command left: nobody typed other text.
func commandKind(content string) string {
	if kind := textKind(content); kind != tables.KindPrompt {
		return kind
	}
	return tables.KindCommandOutput
}

// retracted makes the messages inactive that a model's refusal took back.
func (t *transcript) retracted(r *record) {
	var uuids []string
	for _, v := range r.GetArray("retractedMessageUuids") {
		uuids = append(uuids, readers.Text(v))
	}
	if len(uuids) > 0 {
		t.emit(&tables.Inactive{UUIDs: uuids})
	}
}

func rawJSON(v *fastjson.Value) any {
	if v == nil {
		return nil
	}
	return json.RawMessage(readers.JSON(v))
}

// compactBoundary holds a boundary back until the summary that follows it (FORMAT.md §8.1).
func (t *transcript) compactBoundary(r *record) bool {
	if readers.Text(r.Value, "subtype") != "compact_boundary" {
		return false
	}
	t.flushBoundary()
	t.boundary = t.keep(r)
	t.lastCut = r.uuid
	return true
}

// keep copies a record whose JSON must outlive its line.
func (t *transcript) keep(r *record) *record {
	kept := *r
	v, err := fastjson.Parse(readers.JSON(r.Value))
	if err != nil {
		v = new(fastjson.Arena).NewObject()
	}
	kept.Value = v
	return &kept
}

// endsBoundary says whether a line is the summary that the boundary waits for.
func (t *transcript) endsBoundary(r *record) bool {
	return t.boundary != nil && r.kind == "user" && r.GetBool("isCompactSummary") && r.parent == t.boundary.uuid
}

// summary ends a compaction: the one whose boundary was just met, or, before
// 2.0.1, one without a boundary.
func (t *transcript) summary(r *record, m *tables.Message) {
	if t.boundary == nil && t.lastCut != "" && r.parent == t.lastCut {
		return // its boundary was told without it
	}
	c := &tables.Compaction{UUID: r.uuid, Timestamp: r.at}
	if b := t.boundary; b != nil {
		c = boundary(b)
		t.boundary = nil
	}
	c.Summary, c.SummarySource = m.Text, tables.SummaryInline
	t.emit(c)
}

// flushBoundary tells of a boundary that no summary line follows; the summary
// may stand in the session's memory file.
func (t *transcript) flushBoundary() {
	b := t.boundary
	if b == nil {
		return
	}
	t.boundary = nil
	m := t.message(b, tables.RoleSystem, tables.KindNotice)
	m.Text = readers.Text(b.Value, "content")
	t.say(b, m)
	c := boundary(b)
	c.SummarySource = tables.SummaryNone
	memory, err := t.in.Beside(path.Join(t.folder, "session-memory", "summary.md"))
	if err == nil {
		c.Summary, c.SummarySource = string(memory), tables.SummaryMemory
	} else {
		t.besideProblem(err)
	}
	t.emit(c)
}

func boundary(b *record) *tables.Compaction {
	meta := b.Get("compactMetadata")
	c := &tables.Compaction{
		UUID:              b.uuid,
		LogicalParentUUID: readers.Text(b.Value, "logicalParentUuid"),
		Trigger:           readers.Text(meta, "trigger"),
		PreTokens:         readers.Count(meta, "preTokens"),
		PostTokens:        readers.Count(meta, "postTokens"),
		DurationMS:        readers.Count(meta, "durationMs"),
		Timestamp:         b.at,
	}
	for _, key := range []string{"allUuids", "uuids"} {
		for _, v := range meta.GetArray("preservedMessages", key) {
			c.PreservedUUIDs = append(c.PreservedUUIDs, readers.Text(v))
		}
	}
	return c
}
