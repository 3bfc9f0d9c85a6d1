package claude

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// answersOf returns the questions of AskUserQuestion with what the person answered
// (FORMAT.md §4.3): toolUseResult.answers has a text for each question's text, with the
// labels picked and the person's own words. Notes beside a picked label are in
// annotations. It returns nil if no question has an answer.
func answersOf(detail *fastjson.Value) (list []tables.Answer) {
	given, notes := detail.Get("answers"), detail.Get("annotations")
	if given == nil || given.Type() != fastjson.TypeObject {
		return nil
	}
	answered := false
	for _, q := range detail.GetArray("questions") {
		a := tables.Answer{Question: readers.Text(q, "question"), Options: labels(q.GetArray("options")), Picked: []string{}}
		answer := readers.Text(given, a.Question)
		switch {
		case slices.Contains(a.Options, answer):
			a.Picked = []string{answer}
		case q.GetBool("multiSelect"):
			if picked, words := readers.SplitPicked(a.Options, answer); picked != nil {
				a.Picked, a.Words = picked, words
				break
			}
			fallthrough
		default:
			a.Words = answer
		}
		if note := readers.Text(notes, a.Question, "notes"); note != "" {
			a.Words = strings.TrimPrefix(a.Words+"\n"+note, "\n")
		}
		answered = answered || len(a.Picked) > 0 || a.Words != ""
		list = append(list, a)
	}
	if !answered {
		return nil
	}
	return list
}

// labels returns the labels of a question's options.
func labels(options []*fastjson.Value) []string {
	list := make([]string, len(options))
	for i, o := range options {
		list[i] = readers.Text(o, "label")
	}
	return list
}
