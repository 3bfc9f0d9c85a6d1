package gemini

import (
	"strconv"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// answersOf returns the questions of ask_user with what the person answered
// (FORMAT.md §4.7). The output is an object with a text for each question, by its place.
// A question of type yesno has the labels Yes and No. It returns nil if the output is
// none, as of a dialog that was dismissed.
func answersOf(t *call, output string) []tables.Answer {
	if t.ToolKind != tables.ToolQuestion || t.outcome.status != tables.StatusOK {
		return nil
	}
	questions, given, ok := readers.AskedAndAnswered(t.Input, output)
	if !ok {
		return nil
	}
	list := readers.Answers(questions, func(at int, q *fastjson.Value, labels []string) []string {
		return readers.PickedIn(readers.Text(given, strconv.Itoa(at)), q, labels)
	})
	for i := range list {
		if readers.Text(questions[i], "type") == "yesno" {
			list[i].Options = []string{"Yes", "No"}
			list[i].Answer(list[i].Words)
		}
	}
	return list
}
