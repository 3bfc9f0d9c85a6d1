package readers

import (
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/tables"
)

// Arguments sets the command of a call that runs commands, and the edits of a call that
// edits files. A call of another kind has neither.
func Arguments(c *tables.ToolCall, command string, edits func(input string) []tables.Edit) {
	switch c.ToolKind {
	case tables.ToolCommand:
		c.Command = command
	case tables.ToolEdit:
		c.Edits = func() []tables.Edit { return edits(c.Input) }
	}
}

// EditIn returns a function that finds the edit in a call's arguments, whether or not the
// call ran. Each part of the edit is the first text under its keys. Spaces separate keys.
func EditIn(path, old, fresh string) func(input string) []tables.Edit {
	return func(input string) []tables.Edit {
		v, err := fastjson.Parse(input)
		if err != nil {
			return nil
		}
		text := func(keys string) string { return FirstText(v, strings.Fields(keys)...) }
		return []tables.Edit{{Path: text(path), Old: text(old), New: text(fresh)}}
	}
}

// ErrorWords holds patterns of a failed call's text, which tell the type of the error.
type ErrorWords struct{ invalid, notFound, timeout *pattern.Pattern }

// ErrorWordsOf returns the patterns of a call that the program couldn't carry out, of a
// missing file, and of a time-out.
func ErrorWordsOf(invalid, notFound, timeout string) ErrorWords {
	return ErrorWords{pattern.Lazy(invalid), pattern.Lazy(notFound), pattern.Lazy(timeout)}
}

// Type returns the type of an error. The first pattern that matches counts.
func (w ErrorWords) Type(text string) string {
	switch {
	case w.invalid.MatchString(text):
		return tables.ErrorInvalidCall
	case w.notFound.MatchString(text):
		return tables.ErrorNotFound
	case w.timeout.MatchString(text):
		return tables.ErrorTimeout
	}
	return tables.ErrorOther
}

// ExitCode returns the exit code that digits stand for. It is missing if the digits are no
// number, or a number of more than so many bits.
func ExitCode(digits string, bits int) tables.Maybe[int64] {
	n, err := strconv.ParseInt(digits, 10, bits)
	return tables.Maybe[int64]{Value: n, OK: err == nil}
}

// LastExitCode returns the last exit code that a pattern finds in a text, because a
// command may print similar lines before its end.
func LastExitCode(code *pattern.Pattern, text string) tables.Maybe[int64] {
	all := code.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return tables.Maybe[int64]{}
	}
	return ExitCode(all[len(all)-1][1], 32)
}
