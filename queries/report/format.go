package report

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
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
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
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
