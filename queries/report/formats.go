package report

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/internal/lists"
	"hindsql/internal/result"
)

// format is an output format of documents.
type format struct {
	name       string
	extensions []string // file extensions of the format; new files get the first
	write      func(*Document, io.Writer, Screen) error
}

var formats = []format{
	{"html", []string{".html", ".htm"}, func(d *Document, w io.Writer, _ Screen) error { return d.HTML(w) }},
	{"markdown", []string{".md"}, func(d *Document, w io.Writer, _ Screen) error { return d.Markdown(w) }},
	{"json", []string{".json"}, func(d *Document, w io.Writer, _ Screen) error { return d.JSON(w) }},
	{"text", []string{".txt"}, (*Document).Plain},
	{"mail", []string{".eml"}, (*Document).Mail},
}

// Formats lists the names of the output formats.
func Formats() []string {
	return lists.Map(formats, func(f format) string { return f.name })
}

// FormatOf returns the format for a file's name; empty if the extension is unknown.
func FormatOf(path string) string {
	for _, f := range formats {
		if slices.Contains(f.extensions, strings.ToLower(filepath.Ext(path))) {
			return f.name
		}
	}
	return ""
}

// Extensions lists the file extensions of all formats.
func Extensions() []string {
	var list []string
	for _, f := range formats {
		list = append(list, f.extensions...)
	}
	return list
}

// Write writes the document in one of the [Formats]. The screen is used for text.
func (d *Document) Write(w io.Writer, name string, s Screen) error {
	return formatNamed(name).write(d, w, s)
}

// formatNamed returns a format by name. An unknown name is a bug, and panics.
func formatNamed(name string) format {
	return formats[slices.IndexFunc(formats, func(f format) bool { return f.name == name })]
}

type jsonDocument struct {
	Name     string     `json:"name"`
	Title    string     `json:"title"`
	Text     string     `json:"text,omitempty"`
	Since    time.Time  `json:"since"`
	Until    time.Time  `json:"until"`
	Alert    *jsonTable `json:"alert,omitempty"`
	Sections []jsonPart `json:"sections"`
}

type jsonPart struct {
	Title string      `json:"title"`
	Text  string      `json:"text,omitempty"`
	Note  string      `json:"note,omitempty"`
	Show  Show        `json:"show"`
	Since time.Time   `json:"since"`
	Until time.Time   `json:"until"`
	Now   jsonTable   `json:"result"`
	Then  *jsonTable  `json:"before,omitempty"`
	Talks []jsonTable `json:"sessions,omitempty"`
}

// jsonTable holds a row's values in the order of the columns, because names of columns
// may repeat.
type jsonTable struct {
	Columns []result.Column `json:"columns"`
	Rows    [][]any         `json:"rows"`
}

// JSON writes the document as one JSON object, with all rows and unformatted values.
func (d *Document) JSON(w io.Writer) error {
	out := jsonDocument{Name: d.Name, Title: d.Title, Text: d.Text, Since: d.Period.Since, Until: d.Period.Until}
	if d.Alert != nil {
		t := jsonOf(d.Alert)
		out.Alert = &t
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		part := jsonPart{p.Title, p.Text, p.Note, p.Show, p.Period.Since, p.Period.Until, jsonOf(&p.Set), nil, nil}
		for _, c := range p.Sessions {
			pieces := c.Rows()
			part.Talks = append(part.Talks, jsonOf(&pieces))
		}
		if p.Show == Number && len(p.Before.Columns) > 0 {
			before := jsonOf(&p.Before)
			part.Then = &before
		}
		out.Sections = append(out.Sections, part)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func jsonOf(r *result.Set) jsonTable {
	t := jsonTable{Columns: r.Columns, Rows: make([][]any, len(r.Rows))}
	for i, row := range r.Rows {
		t.Rows[i] = make([]any, len(row))
		for k, v := range row {
			t.Rows[i][k] = jsonValue(v, r.Columns[k])
		}
	}
	return t
}

func jsonValue(v any, c result.Column) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case time.Time:
		t := result.TypeOf(c.Type)
		return t.MachineText(v)
	case string:
		if c.IsNumber() && json.Valid([]byte(v)) {
			return json.Number(v)
		}
	}
	return v
}
