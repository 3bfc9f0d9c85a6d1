package readers

import (
	"fmt"
	"strings"
)

// The marker lines of an apply_patch patch.
const (
	patchBegin  = "*** Begin Patch"
	patchEnd    = "*** End Patch"
	patchAdd    = "*** Add File: "
	patchUpdate = "*** Update File: "
	patchDelete = "*** Delete File: "
	patchMove   = "*** Move to: "
	patchEOF    = "*** End of File"
)

// IsPatchCommand reports whether a word is the command that takes patches.
func IsPatchCommand(word string) bool { return word == "apply_patch" || word == "applypatch" }

// PatchIn returns the patch in a command: the command itself, or the here document that
// the command passes to apply_patch. It is empty for any other command.
func PatchIn(command string) string {
	trimmed := strings.TrimSpace(command)
	if strings.HasPrefix(trimmed, patchBegin) {
		return trimmed
	}
	first, _, _ := strings.Cut(trimmed, " ")
	first, _, _ = strings.Cut(first, "<")
	at := strings.Index(trimmed, patchBegin)
	end := strings.LastIndex(trimmed, patchEnd)
	if !IsPatchCommand(first) || at < 0 || end < at {
		return ""
	}
	return trimmed[at : end+len(patchEnd)]
}

// PatchedFile returns the first file that a patch changes.
func PatchedFile(patch string) string {
	for line := range strings.Lines(patch) {
		for _, head := range []string{patchUpdate, patchAdd, patchDelete} {
			if name, ok := strings.CutPrefix(line, head); ok {
				return strings.TrimSpace(name)
			}
		}
	}
	return ""
}

// PatchDiff returns a patch as a unified diff. The patch has no line numbers, so the
// diff counts only the lines that the patch shows of each file.
func PatchDiff(patch string) string {
	d := &patchText{}
	for line := range strings.Lines(patch) {
		d.line(strings.TrimRight(line, "\r\n"))
	}
	d.endHunk()
	return d.out.String()
}

type patchText struct {
	out      strings.Builder
	from     string // file of the current update; empty before the first
	headed   bool
	hunk     []string
	anchor   string // the patch's words for the hunk's place
	old, new int    // lines so far in the current file
}

func (d *patchText) line(s string) {
	switch {
	case s == patchBegin, s == patchEnd, s == patchEOF:
		d.endHunk()
	case strings.HasPrefix(s, patchAdd):
		d.file("/dev/null", "b/"+patchName(s[len(patchAdd):]))
	case strings.HasPrefix(s, patchDelete):
		d.file("a/"+patchName(s[len(patchDelete):]), "/dev/null")
	case strings.HasPrefix(s, patchUpdate):
		d.endHunk()
		d.from, d.headed, d.old, d.new = patchName(s[len(patchUpdate):]), false, 0, 0
	case strings.HasPrefix(s, patchMove):
		d.file("a/"+d.from, "b/"+patchName(s[len(patchMove):]))
	case strings.HasPrefix(s, "@@"):
		d.endHunk()
		d.anchor = strings.TrimPrefix(s, "@@")
	default:
		d.hunk = append(d.hunk, s)
	}
}

func patchName(name string) string { return strings.TrimPrefix(strings.TrimSpace(name), "/") }

func (d *patchText) file(from, to string) {
	d.endHunk()
	d.headed, d.old, d.new = true, 0, 0
	fmt.Fprintf(&d.out, "--- %s\n+++ %s\n", from, to)
}

func (d *patchText) endHunk() {
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
