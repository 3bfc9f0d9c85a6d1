package readertest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toy is a correct reader for a made-up log with one message a line. A response may have
// a call, and a user's line a call's result. A new reader begins from the toy; of the
// agents, pi (readers/pi) has the nearest logs.
func toy() *readers.Reader {
	return &readers.Reader{
		Agent:   "toy",
		Title:   "Toy",
		Version: 1,
		Roots:   func(readers.Host) []string { return nil },
		Under:   []string{"logs"},
		IsLog:   func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") },
		Read:    readToy,
		Records: map[readers.Fact]readers.Extent{readers.Refusals: readers.Recorded, readers.Reasons: readers.Recorded, readers.Waits: readers.Recorded},
	}
}

func readToy(in *readers.Input) error {
	in.Emit(&tables.Session{SessionID: path.Base(in.Rel)})
	kinds := readers.NewKinds(in)
	defer func() { kinds.Emit(in.Emit) }()
	return readers.JSONLines(in, []string{`{"id":`}, func(v *fastjson.Value, line readers.Line) {
		at, _ := time.Parse(time.RFC3339, readers.Text(v, "at"))
		kind := readers.Text(v, "role")
		kinds.Record(v, kind, kind != "", readers.Text(v, "version"), at)
		if kind != "" {
			emitToy(in.Emit, v, line.Number, at)
		}
	})
}

func emitToy(emit func(tables.Event), v *fastjson.Value, line int64, at time.Time) {
	kind, role := tables.KindPrompt, readers.Text(v, "role")
	switch {
	case role == tables.RoleAssistant:
		kind = tables.KindResponse
	case v.Exists("result"):
		kind = tables.KindToolResult
	}
	emit(&tables.Message{
		UUID: readers.Text(v, "id"), Role: role, Kind: kind,
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

// toyRows is a reader for a made-up database. Each row is a session's name and a line
// for toy. Each name is a session.
func toyRows() *readers.Reader {
	r := toy()
	r.IsLog = func(rel string) bool { return strings.HasSuffix(rel, ".db") }
	r.Parts = func(in *readers.Input) ([]readers.Part, error) {
		order, rows, err := toyParts(in)
		var list []readers.Part
		for _, name := range order {
			list = append(list, readers.Part{Name: name, Stamp: fmt.Sprintf("%x", sha256.Sum256(rows[name])), Size: int64(len(rows[name]))})
		}
		return list, err
	}
	r.Read = func(in *readers.Input) error {
		if in.Part == "" {
			return nil
		}
		_, rows, err := toyParts(in)
		if err != nil {
			return err
		}
		one := *in
		one.Rel = in.Part
		one.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(rows[in.Part])), nil }
		return readToy(&one)
	}
	return r
}

// toyMagic begins a toy database. The bytes after it are the rows with all bits
// inverted.
const toyMagic = "toy database\n"

func makeToyRows(rows []byte) ([]byte, error) {
	data := []byte(toyMagic)
	for _, b := range rows {
		data = append(data, ^b)
	}
	return data, nil
}

func toyParts(in *readers.Input) (order []string, rows map[string][]byte, err error) {
	f, err := in.Open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, err
	}
	data, ok := bytes.CutPrefix(data, []byte(toyMagic))
	if !ok {
		return nil, nil, errors.New("no toy database")
	}
	rows = map[string][]byte{}
	for i := range data {
		data[i] = ^data[i]
	}
	for line := range bytes.Lines(data) {
		name, row, _ := strings.Cut(string(line), " ")
		if name = strings.ToValidUTF8(name, ""); rows[name] == nil {
			order = append(order, name)
		}
		rows[name] = append(rows[name], row...)
	}
	return order, rows, nil
}
