package codex

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// noneOfThem is the label that Codex offers besides a question's own.
const noneOfThem = "None of the above"

// notePrefix stands before a person's words in the list of a question's answers.
const notePrefix = "user_note: "

// pickedOf returns the questions of request_user_input with what the person answered
// (FORMAT.md §5.1). The output is an object with the answers by the question's id. It
// returns nil if the output is none: the tool was refused, cancelled or unavailable.
func pickedOf(info *call, output string) []tables.Answer {
	if info.ToolKind != tables.ToolQuestion {
		return nil
	}
	questions, given, ok := readers.AskedAndAnswered(info.Input, output)
	if !ok {
		return nil
	}
	list := readers.Answers(questions, func(_ int, q *fastjson.Value, _ []string) (texts []string) {
		for _, a := range given.GetArray(readers.Text(q, "id"), "answers") {
			texts = append(texts, strings.TrimPrefix(readers.Text(a), notePrefix))
		}
		return texts
	})
	for i := range list {
		if a := &list[i]; a.Words == noneOfThem || strings.HasPrefix(a.Words, noneOfThem+"\n") {
			a.Picked = append(a.Picked, noneOfThem)
			a.Words = strings.TrimPrefix(strings.TrimPrefix(a.Words, noneOfThem), "\n")
		}
	}
	return slices.Clip(list)
}
