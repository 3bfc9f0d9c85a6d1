package claude

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// answersOf returns the questions of AskUserQuestion with what the person answered
// (FORMAT.md §4.5): toolUseResult.answers has a text for each question's text. Where
// several labels may be picked, the text has them with commas between, and the person's
// own words, too. Notes beside a picked label are in annotations.
func answersOf(detail *fastjson.Value) []tables.Answer {
	given, notes := detail.Get("answers"), detail.Get("annotations")
	if given == nil || given.Type() != fastjson.TypeObject {
		return nil
	}
	return readers.Answers(detail.GetArray("questions"), func(_ int, q *fastjson.Value, labels []string) []string {
		question := readers.Text(q, "question")
		return append(readers.PickedIn(readers.Text(given, question), q, labels), readers.Text(notes, question, "notes"))
	})
}
