package claude

import (
	"encoding/json"
	"path"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// handleSystem handles a system line. A line without text becomes no message (FORMAT.md
// §3.2).
func (t *transcript) handleSystem(r *record) {
	content := readers.Text(r.Value, "content")
	m := t.message(r, tables.RoleSystem, tables.KindNotice)
	m.Text = content
	if isExpiry(content) {
		t.endings.expired[r.uuid] = true
	}
	switch readers.Text(r.Value, "subtype") {
	case "api_error":
		t.handleRetry(r, m)
		return
	case "microcompact_boundary":
		m.Extra = readers.Object(map[string]any{"microcompact": rawJSON(r.Get("microcompactMetadata"))})
	case "model_refusal_fallback":
		t.emitRetracted(r)
	case "local_command":
		if m.Kind = commandKind(content); m.Kind == tables.KindCommand {
			m.Text = commandText(content)
		}
	}
	if content == "" {
		t.chain.addSkipped(r)
		return
	}
	t.emitMessage(r, m)
	if m.Kind == tables.KindCommand {
		t.emitClear(r, m)
	}
}

// commandKind returns the kind of a local command's text: the command itself, or its
// output. Text without a tag is output, because typed commands have a tag.
func commandKind(content string) string {
	if kind := textKind(content); kind != tables.KindPrompt {
		return kind
	}
	return tables.KindCommandOutput
}

// emitRetracted marks messages as inactive that were withdrawn because the model refused to
// go on.
func (t *transcript) emitRetracted(r *record) {
	if uuids := readers.Texts(r.GetArray("retractedMessageUuids")); len(uuids) > 0 {
		t.emit(&tables.Inactive{UUIDs: uuids})
	}
}

func rawJSON(v *fastjson.Value) any {
	if v == nil {
		return nil
	}
	return json.RawMessage(readers.JSON(v))
}

// handleBoundary keeps a compact_boundary line until its summary comes (FORMAT.md
// §8.1). It returns false for other lines.
func (t *transcript) handleBoundary(r *record) bool {
	if readers.Text(r.Value, "subtype") != "compact_boundary" {
		return false
	}
	t.flushBoundary()
	t.boundary = t.copyRecord(r)
	t.lastBoundary, t.compacted = r.uuid, nil
	t.anchor = readers.Text(r.Get("compactMetadata", "preservedSegment"), "anchorUuid")
	return true
}

// copyRecord copies a record. The JSON parser reuses the memory of a line for the next one.
func (t *transcript) copyRecord(r *record) *record {
	kept := *r
	v, err := fastjson.Parse(readers.JSON(r.Value))
	if err != nil {
		v = fastjson.NewObject()
	}
	kept.Value = v
	return &kept
}

// endsBoundary reports whether a line is the summary of the last compact_boundary: the
// boundary names the line, or only lines that are no messages stand above it, up to the
// boundary (FORMAT.md §8.1).
func (t *transcript) endsBoundary(r *record) bool {
	return t.lastBoundary != "" && r.kind == "user" && r.GetBool("isCompactSummary") &&
		(r.uuid != "" && r.uuid == t.anchor || t.chain.nearestMessage(r.parent) == t.lastBoundary)
}

// emitCompaction emits a compaction from a summary line and the kept compact_boundary.
// Before 2.0.1 there was no compact_boundary. If another line stood between the two,
// flushBoundary emitted the compaction, which now gets its summary.
func (t *transcript) emitCompaction(r *record, m *tables.Message) {
	c := &tables.Compaction{UUID: r.uuid, Timestamp: r.at}
	if t.endsBoundary(r) {
		if t.boundary == nil {
			t.compacted.Summary, t.compacted.SummarySource = m.Text, tables.SummaryInline
			return
		}
		c = compactionOf(t.boundary)
		t.boundary, t.compacted = nil, c
	}
	c.Summary, c.SummarySource = m.Text, tables.SummaryInline
	t.emit(c)
}

// flushBoundary emits a compaction for a compact_boundary without a summary line. The
// summary comes from the session's memory file, if the file exists.
func (t *transcript) flushBoundary() {
	b := t.boundary
	if b == nil {
		return
	}
	t.boundary = nil
	m := t.message(b, tables.RoleSystem, tables.KindNotice)
	m.Text = readers.Text(b.Value, "content")
	t.emitMessage(b, m)
	c := compactionOf(b)
	t.compacted = c
	c.SummarySource = tables.SummaryNone
	memory, err := t.in.ReadFile(path.Join(t.folder, "session-memory", "summary.md"))
	if err == nil {
		c.Summary, c.SummarySource = string(memory), tables.SummaryMemory
	} else {
		t.reportFileError(err)
	}
	t.emit(c)
}

func compactionOf(b *record) *tables.Compaction {
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
		c.PreservedUUIDs = append(c.PreservedUUIDs, readers.Texts(meta.GetArray("preservedMessages", key))...)
	}
	return c
}
