package readertest

import (
	"path"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// toy reads a made-up log of one message a line, and does it well.
func toy() *readers.Reader {
	return &readers.Reader{
		Agent:   "toy",
		Title:   "Toy",
		Roots:   func(readers.Host) []string { return nil },
		Under:   []string{"logs"},
		IsLog:   func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") },
		Read:    readToy,
		Records: map[readers.Fact]readers.Extent{readers.Refusals: readers.Recorded, readers.Reasons: readers.Recorded},
	}
}

func readToy(in *readers.Input) error {
	in.Emit(&tables.Session{SessionID: path.Base(in.Rel)})
	var kinds readers.Kinds
	defer func() { kinds.Emit(in.Emit) }()
	return readers.JSONLines(in, []string{`{"id":`}, func(v *fastjson.Value, line readers.Line) {
		at, _ := time.Parse(time.RFC3339, readers.Text(v, "at"))
		kind := readers.Text(v, "role")
		kinds.Count(kind, kind != "", readers.Text(v, "version"), at)
		if kind != "" {
			emitToy(in.Emit, v, line.Number, at)
		}
	})
}

func emitToy(emit func(tables.Event), v *fastjson.Value, line int64, at time.Time) {
	emit(&tables.Message{
		UUID: readers.Text(v, "id"), Role: readers.Text(v, "role"), Kind: tables.KindPrompt,
		Text: readers.Text(v, "text"), Timestamp: at, Line: line,
	})
	if c := v.Get("call"); c != nil {
		emit(&tables.ToolCall{
			ToolUseID: readers.Text(c, "id"), ToolName: readers.Text(c, "tool"), ToolKind: tables.ToolCommand,
			Command: readers.Text(c, "command"), Input: readers.JSON(c), Timestamp: at, Line: line,
		})
	}
	r := v.Get("result")
	switch {
	case r == nil:
	case r.GetBool("refused"):
		emit(&tables.ToolResult{ToolUseID: readers.Text(r, "id"), Status: tables.StatusRejected, Timestamp: at})
		emit(&tables.Rejection{ToolUseID: readers.Text(r, "id"), DecidedBy: tables.ByUser, Reason: readers.Text(r, "reason"), Timestamp: at})
	default:
		emit(&tables.ToolResult{ToolUseID: readers.Text(r, "id"), Status: tables.StatusOK, Output: readers.Text(r, "output"), Timestamp: at})
	}
}
