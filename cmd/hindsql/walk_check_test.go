package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
)

// checked has the formats that programs read.
var checked = []string{"json", "ndjson", "csv", "tsv"}

// try runs a line, and checks its answer.
func (w *walk) try(t *testing.T, l trial) {
	t.Helper()
	a := w.run(t, l)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("hindsql %q, %s, %s home: %s\nexit code %d, stderr %q, stdout %q", a.args, l.place, l.home, fmt.Sprintf(format, args...), a.code, cut(a.stderr), cut(a.stdout))
	}
	for _, wrong := range []error{w.code(a), a.target(), a.escapes(), a.width(), a.silence()} {
		if wrong != nil {
			fail("%v", wrong)
		}
	}
	if a.code != exitOK && a.code != exitAlert || !slices.Contains(checked, l.format) || l.command.CommandPath() != "hindsql run" || a.quiet() {
		return
	}
	got, err := parse(l.format, a.text)
	if err != nil {
		fail("%v", err)
		return
	}
	l.format, l.place = "json", "pipe"
	own := w.run(t, l)
	if want, err := parse("json", own.text); err != nil || got.rows != want.rows || got.rows > 0 && !slices.Equal(got.columns, want.columns) {
		fail("%v, %v; its own JSON has %v", err, got, want)
	}
	if got.rows == 0 && a.stderr == "" {
		fail("no rows, and no reason")
	}
}

// cut shortens a text for a message.
func cut(s string) string { return s[:min(len(s), 1500)] }

// quiet reports whether the line is an alert without rows.
func (a answer) quiet() bool { return a.flag == "--alert=true" && a.code == exitOK }

// code checks the exit code, and what is said with it.
func (w *walk) code(a answer) error {
	switch {
	case !slices.Contains(w.codes, strconv.Itoa(a.code)), a.code == exitHeld, a.code == exitInterrupted && !a.endless(), a.code == exitAlert && a.flag != "--alert=true":
		return fmt.Errorf("exit code %d", a.code)
	case a.code != exitOK && a.code != exitAlert && a.stderr == "" && a.command.Name() != "doctor":
		return fmt.Errorf("fails without a word")
	case a.code == exitFailed && !a.mayFail():
		return fmt.Errorf("wrong usage has exit code %d", exitUsage)
	case a.saved != nil && a.flag == "" && a.code != exitOK && a.format != "chart" && a.place == "pipe":
		return fmt.Errorf("fails without a flag")
	}
	for _, words := range []string{"INTERNAL", "binder error", "catalog error", "parser error", "goroutine", "runtime error", "%!"} {
		if strings.Contains(a.stderr, words) && !a.mayFail() {
			return fmt.Errorf("says %s", words)
		}
	}
	return nil
}

// mayFail reports whether the line has a cause of an error that isn't wrong usage: broken
// things that doctor found, agents' commands, a push that isn't there, a file or SQL that
// may be wrong, rows that don't suit a chart or standard output.
func (a answer) mayFail() bool {
	flag, _, _ := strings.Cut(a.flag, "=")
	return len(a.words) > 0 && slices.Contains([]string{"doctor", "mcp", "push"}, a.words[0]) || a.format == "chart" || flag == "--chart" || slices.Contains(a.words, "-") ||
		slices.Contains([]string{"--store", "--lake", "--root", "--command", "--file", "--query", "--sql", "--edit", "--open", "--endpoint"}, flag)
}

// target checks that the answer is in the file, or on standard output.
func (a answer) target() error {
	switch good := a.code == exitOK || a.code == exitAlert; {
	case a.place != "file" || a.command.Name() == "install":
		return nil
	case good && !a.written && !a.quiet():
		return fmt.Errorf("no file")
	case !good && a.written && a.command.Name() != "doctor": // what is broken is the answer
		return fmt.Errorf("a file in spite of the error")
	}
	return nil
}

// escapes checks that a pipe and a file have no colours.
func (a answer) escapes() error {
	if (a.place == "pipe" || a.place == "file") && !slices.Contains([]string{"xlsx", "parquet"}, a.format) && strings.Contains(a.text, "\x1b") {
		return fmt.Errorf("an escape code")
	}
	return nil
}

// width checks that no line is wider than the terminal.
func (a answer) width() error {
	width := terminalWidth(a.place)
	if width == 0 || !slices.Contains([]string{"", "table", "chart", "text"}, a.format) || a.command != nil && a.command.Flags().Lookup("format") == nil {
		return nil
	}
	return tooWide(a.text, width)
}

// named matches the first line of a value in the line format, which cuts no id, no
// command and no diff. Further lines of the value begin with as many spaces.
var named = regexp.MustCompile(`^ *\w+ = `)

// tooWide returns an error for a line that is wider than a terminal.
func tooWide(text string, width int) error {
	margin := ""
	for l := range strings.Lines(ours.ReplaceAllString(text, "")) {
		if name := named.FindString(l); name != "" {
			margin = strings.Repeat(" ", len(name))
			continue
		}
		if margin != "" && strings.HasPrefix(l, margin) {
			continue
		}
		margin = ""
		if n := uniseg.StringWidth(strings.TrimSuffix(l, "\n")); n > width {
			return fmt.Errorf("a line of %d columns: %s", n, l)
		}
	}
	return nil
}

// silence checks that an alert writes nothing without rows.
func (a answer) silence() error {
	if a.quiet() && (a.text != "" || a.stdout != "" || a.stderr != "" || a.written) {
		return fmt.Errorf("an alert without rows isn't silent")
	}
	return nil
}

// shape is the columns and the number of rows of an answer. Formats of objects don't
// tell the columns of no rows.
type shape struct {
	columns []string
	rows    int
}

// parse reads an answer in a format for programs.
func parse(format, text string) (s shape, err error) {
	switch format {
	case "csv":
		records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(records) == 0 {
			return s, fmt.Errorf("CSV without columns: %v", err)
		}
		return shape{records[0], len(records) - 1}, nil
	case "tsv":
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		s.columns, s.rows = strings.Split(lines[0], "\t"), len(lines)-1
		for _, l := range lines {
			if strings.Count(l, "\t") != len(s.columns)-1 {
				err = fmt.Errorf("TSV of %d columns has the line %q", len(s.columns), l)
			}
		}
		return s, err
	case "json":
		if !json.Valid([]byte(text)) {
			return s, fmt.Errorf("no JSON")
		}
	}
	return parseObjects(text)
}

// parseObjects reads objects that follow each other, or stand in an array.
func parseObjects(text string) (s shape, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	if strings.HasPrefix(text, "[") {
		_, err = d.Token()
	}
	for err == nil && d.More() {
		var object json.RawMessage
		if err = d.Decode(&object); err == nil {
			s.rows++
			var columns []string
			if columns, err = keys(object); err == nil && s.columns != nil && !slices.Equal(columns, s.columns) {
				err = fmt.Errorf("an object has %q, the first %q", columns, s.columns)
			}
			s.columns = columns
		}
	}
	return s, err
}

// keys returns the keys of an object in order.
func keys(object json.RawMessage) (names []string, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err = d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil && err != io.EOF {
			return nil, err
		}
		names = append(names, fmt.Sprint(name))
	}
	return names, nil
}

// untouched checks that no command wrote into the home folder of the process.
func (w *walk) untouched(t *testing.T) {
	t.Helper()
	if entries, err := os.ReadDir(w.own()); err != nil || len(entries) > 0 {
		t.Errorf("the process's own home folder: %v %v", entries, err)
	}
}
