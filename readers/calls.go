package readers

import (
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/tables"
)

// Tools maps the names of an agent's own tools to their kinds.
type Tools map[string]string

// toolKinds are the words for kinds of tools.
var toolKinds = SetOf(strings.Join([]string{
	tables.ToolEdit, tables.ToolCommand, tables.ToolRead, tables.ToolSearch, tables.ToolWeb, tables.ToolMCP,
	tables.ToolPlan, tables.ToolQuestion, tables.ToolAgent, tables.ToolScript, tables.ToolOther,
}, " "))

// ToolsOf reads a text with the tools of each kind, such as "read: cat ls". It panics if
// a list begins with an unknown kind, so the tests of every agent check the kinds.
func ToolsOf(text string) Tools {
	tools, kind := Tools{}, ""
	for word := range strings.FieldsSeq(text) {
		if head, is := strings.CutSuffix(word, ":"); is {
			kind = head
		} else if !toolKinds[kind] {
			panic("readers: no kind of tool " + kind)
		} else {
			tools[word] = kind
		}
	}
	return tools
}

// Kind returns a tool's kind. A tool that isn't one of the agent's own is a server's if
// the caller says so.
func (t Tools) Kind(name string, server bool) string {
	switch kind := t[name]; {
	case kind != "":
		return kind
	case server:
		return tables.ToolMCP
	}
	return tables.ToolOther
}

// SetArguments sets the command of a call that runs commands, and the edits of a call that
// edits files. A call of another kind has neither.
func SetArguments(c *tables.ToolCall, command string, edits func(input string) []tables.Edit) {
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

// Answers returns questions with what a person answered. A question is an object with
// the fields question and options, and options are objects with a label. given returns
// the texts of the answer to a question: those that are labels were picked, others are
// the person's words. Answers returns nil if no question has an answer.
func Answers(questions []*fastjson.Value, given func(at int, question *fastjson.Value, labels []string) []string) (list []tables.Answer) {
	answered := false
	for i, q := range questions {
		a := tables.Answer{Question: Text(q, "question"), Options: []string{}}
		for _, o := range q.GetArray("options") {
			a.Options = append(a.Options, Text(o, "label"))
		}
		a.SetAnswer(given(i, q, a.Options)...)
		answered = answered || a.IsAnswered()
		list = append(list, a)
	}
	if !answered {
		return nil
	}
	return list
}

// ParseAnswers returns the questions in a call's arguments, and the object with the
// answers in the call's output: {"answers": …}. ok is false if the output is no such
// object, as of a question that was dismissed.
func ParseAnswers(input, output string) (questions []*fastjson.Value, answers *fastjson.Value, ok bool) {
	if !strings.HasPrefix(output, `{"answers":`) {
		return nil, nil, false
	}
	given, err := fastjson.Parse(output)
	if err != nil {
		return nil, nil, false
	}
	asked, err := fastjson.Parse(input)
	if err != nil {
		return nil, nil, false
	}
	return asked.GetArray("questions"), given.Get("answers"), true
}

// SplitAnswer returns the parts of an answer in one text: the text itself, or the
// labels and the words in it if the question takes several labels.
func SplitAnswer(answer string, question *fastjson.Value, labels []string) []string {
	if !question.GetBool("multiSelect") || slices.Contains(labels, answer) {
		return []string{answer}
	}
	picked, words := splitLabels(labels, answer)
	return append(picked, words)
}

// splitLabels splits an answer such as "A, B, and my own words" into the labels picked
// and the person's words. Labels are found at the beginning and at the end, the longest
// first, because a label may hold a comma.
func splitLabels(labels []string, answer string) (picked []string, words string) {
	left := answer
	for left != "" {
		label, found := longestLabel(labels, func(l string) bool { return left == l || strings.HasPrefix(left, l+", ") })
		if !found {
			break
		}
		picked = append(picked, label)
		left = strings.TrimPrefix(left[len(label):], ", ")
	}
	var last []string
	for left != "" {
		label, found := longestLabel(labels, func(l string) bool { return strings.HasSuffix(left, ", "+l) })
		if !found {
			break
		}
		last = append(last, label)
		left = strings.TrimSuffix(left, ", "+label)
	}
	slices.Reverse(last)
	return append(picked, last...), left
}

func longestLabel(labels []string, fits func(string) bool) (label string, found bool) {
	for _, l := range labels {
		if l != "" && len(l) >= len(label) && fits(l) {
			label, found = l, true
		}
	}
	return label, found
}
