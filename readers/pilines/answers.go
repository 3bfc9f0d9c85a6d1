package pilines

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// noResponse is what questionnaire writes for an answer left empty.
const noResponse = "(no response)"

// answersOf returns the questions of a call with what the person answered, from the
// details of its result (readers/pi/FORMAT.md §4.5). It returns nil if the details have
// no answer: the tool is no question's, or the person closed the question.
func answersOf(tool string, details *fastjson.Value) []tables.Answer {
	if toolKind(tool) != tables.ToolQuestion || details.GetBool("cancelled") {
		return nil
	}
	if asked := details.GetArray("questions"); asked != nil {
		return questionnaire(asked, details.GetArray("answers"))
	}
	results := details.GetArray("results")
	if results == nil {
		results = []*fastjson.Value{details} // a single question
	}
	answered := false
	var list []tables.Answer
	for _, r := range results {
		a := tables.Answer{Question: readers.Text(r, "question"), Options: textsOf(r.GetArray("options"))}
		var given []string
		if !r.GetBool("timedOut") { // after its time limit, ask picks by itself
			given = append(textsOf(r.GetArray("selectedOptions")),
				readers.Text(r, "answer"), readers.Text(r, "customInput"), readers.Text(r, "note"))
		}
		a.Answer(given...)
		answered = answered || a.Answered()
		list = append(list, a)
	}
	if !answered {
		return nil
	}
	return list
}

// questionnaire pairs the questions of the extension questionnaire with the answers, by
// the question's id.
func questionnaire(asked, answers []*fastjson.Value) []tables.Answer {
	list := readers.Answers(asked, func(_ int, q *fastjson.Value, _ []string) (texts []string) {
		for _, a := range answers {
			label := readers.Text(a, "label")
			if readers.Text(a, "id") == readers.Text(q, "id") && !(a.GetBool("wasCustom") && label == noResponse) {
				texts = append(texts, label)
			}
		}
		return texts
	})
	for i := range list {
		list[i].Question = readers.Text(asked[i], "prompt")
	}
	return list
}

func textsOf(values []*fastjson.Value) []string {
	list := make([]string, 0, len(values))
	list = append(list, readers.Texts(values)...)
	return list
}
