package gemini

import (
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// answersOf returns the questions of ask_user with what the person answered
// (FORMAT.md §4.7). The output is an object with a text for each question, by its place.
// A question of type yesno has the labels Yes and No. It returns nil if the output is
// none, as of a dialog that was dismissed.
func answersOf(t *call, output string) []tables.Answer {
	if t.ToolKind != tables.ToolQuestion || t.outcome.status != tables.StatusOK || !strings.HasPrefix(output, `{"answers":`) {
		return nil
	}
	given, err := fastjson.Parse(output)
	if err != nil {
		return nil
	}
	input, err := fastjson.Parse(t.Input)
	if err != nil {
		return nil
	}
	questions := input.GetArray("questions")
	list := readers.Answers(questions, func(at int, q *fastjson.Value, labels []string) []string {
		answer := readers.Text(given, "answers", strconv.Itoa(at))
		if q.GetBool("multiSelect") && !slices.Contains(labels, answer) {
			picked, words := readers.SplitPicked(labels, answer)
			return append(picked, words)
		}
		return []string{answer}
	})
	for i := range list {
		if readers.Text(questions[i], "type") == "yesno" {
			list[i].Options = []string{"Yes", "No"}
			list[i].Answer(list[i].Words)
		}
	}
	return list
}
