package report

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// format is a way to write a document.
type format struct {
	name       string
	extensions []string // of files that are written in it; new ones get the first
	write      func(*Document, io.Writer, Screen) error
}

var formats = []format{
	{"html", []string{".html", ".htm"}, func(d *Document, w io.Writer, _ Screen) error { return d.HTML(w) }},
	{"markdown", []string{".md"}, func(d *Document, w io.Writer, _ Screen) error { return d.Markdown(w) }},
	{"json", []string{".json"}, func(d *Document, w io.Writer, _ Screen) error { return d.JSON(w) }},
	{"text", []string{".txt"}, (*Document).Plain},
}

// Formats are the names of the ways to write a document.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// FormatOf is the format that a file's name asks for; empty when it asks for
// none.
func FormatOf(path string) string {
	for _, f := range formats {
		if slices.Contains(f.extensions, strings.ToLower(filepath.Ext(path))) {
			return f.name
		}
	}
	return ""
}

// Extensions are those of the files that documents are written to.
func Extensions() []string {
	var list []string
	for _, f := range formats {
		list = append(list, f.extensions...)
	}
	return list
}

// Write writes the document in one of the [Formats]; the screen is for text.
func (d *Document) Write(w io.Writer, name string, s Screen) error {
	return formatNamed(name).write(d, w, s)
}

// formatNamed finds one of the formats; the name of another is a mistake of the
// program's.
func formatNamed(name string) format {
	return formats[slices.IndexFunc(formats, func(f format) bool { return f.name == name })]
}
