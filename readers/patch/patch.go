// Package patch reads patches in the format of apply_patch, by which the models of
// several agents edit files.
//
// In: a command, or a patch. Out: the file and the unified diff of a call. The package
// knows no agent's records.
package patch

import (
	"fmt"
	"strings"

	"hindsql/tables"
)

// The marker lines of an apply_patch patch.
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File: "
	updateFile = "*** Update File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
)

// IsCommand reports whether a word is the command that takes patches.
func IsCommand(word string) bool { return word == "apply_patch" || word == "applypatch" }

// In returns the patch in a command: the command itself, or the here document that the
// command passes to apply_patch. It is empty for any other command.
func In(command string) string {
	trimmed := strings.TrimSpace(command)
	if strings.HasPrefix(trimmed, beginPatch) {
		return trimmed
	}
	first, _, _ := strings.Cut(trimmed, " ")
	first, _, _ = strings.Cut(first, "<")
	at := strings.Index(trimmed, beginPatch)
	end := strings.LastIndex(trimmed, endPatch)
	if !IsCommand(first) || at < 0 || end < at {
		return ""
	}
	return trimmed[at : end+len(endPatch)]
}

// Set sets a call's file and diff from the patch that the call applies.
func Set(c *tables.ToolCall, patch string) {
	c.FilePath = firstFile(patch)
	c.Diff = func() string { return unified(patch) }
}

// firstFile returns the first file that a patch changes.
func firstFile(patch string) string {
	for line := range strings.Lines(patch) {
		for _, head := range []string{updateFile, addFile, deleteFile} {
			if name, ok := strings.CutPrefix(line, head); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}

// unified returns a patch as a unified diff. The patch has no line numbers, so the
// diff counts only the lines that the patch shows of each file.
func unified(patch string) string {
	d := &diffWriter{}
	for line := range strings.Lines(patch) {
		d.addLine(strings.TrimRight(line, "\r\n"))
	}
	d.endHunk()
	return d.out.String()
}

type diffWriter struct {
	out      strings.Builder
	from     string // file of the current update; empty before the first
	headed   bool
	hunk     []string
	anchor   string // the patch's words for the hunk's place
	old, new int    // lines so far in the current file
}

func (d *diffWriter) addLine(s string) {
	switch {
	case s == beginPatch, s == endPatch, s == endOfFile:
		d.endHunk()
	case strings.HasPrefix(s, addFile):
		d.beginFile("/dev/null", "b/"+nameIn(s[len(addFile):]))
	case strings.HasPrefix(s, deleteFile):
		d.beginFile("a/"+nameIn(s[len(deleteFile):]), "/dev/null")
	case strings.HasPrefix(s, updateFile):
		d.endHunk()
		d.from, d.headed, d.old, d.new = nameIn(s[len(updateFile):]), false, 0, 0
	case strings.HasPrefix(s, moveTo):
		d.beginFile("a/"+d.from, "b/"+nameIn(s[len(moveTo):]))
	case strings.HasPrefix(s, "@@"):
		d.endHunk()
		d.anchor = strings.TrimPrefix(s, "@@")
	default:
		d.hunk = append(d.hunk, s)
	}
}

func nameIn(name string) string { return strings.TrimPrefix(strings.TrimSpace(name), "/") }

func (d *diffWriter) beginFile(from, to string) {
	d.endHunk()
	d.headed, d.old, d.new = true, 0, 0
	fmt.Fprintf(&d.out, "--- %s\n+++ %s\n", from, to)
}

func (d *diffWriter) endHunk() {
	lines, anchor := d.hunk, d.anchor
	d.hunk, d.anchor = nil, ""
	if len(lines) == 0 {
		return
	}
	if !d.headed {
		d.headed = true
		fmt.Fprintf(&d.out, "--- a/%s\n+++ b/%s\n", d.from, d.from)
	}
	gone, came := 0, 0
	for i, s := range lines {
		switch {
		case s == "":
			lines[i] = " " // a blank line of context
			gone, came = gone+1, came+1
		case s[0] == '-':
			gone++
		case s[0] == '+':
			came++
		default:
			gone, came = gone+1, came+1
		}
	}
	fmt.Fprintf(&d.out, "@@ -%s +%s @@%s\n%s\n", hunkSpan(d.old, gone), hunkSpan(d.new, came), anchor, strings.Join(lines, "\n"))
	d.old, d.new = d.old+gone, d.new+came
}

// hunkSpan returns a hunk's range as a unified diff writes it.
func hunkSpan(before, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, lines)
}
