package readers

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

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
		a.Answer(given(i, q, a.Options)...)
		answered = answered || a.Answered()
		list = append(list, a)
	}
	if !answered {
		return nil
	}
	return list
}

// AskedAndAnswered returns the questions in a call's arguments, and the object with the
// answers in the call's output: {"answers": …}. ok is false if the output is no such
// object, as of a question that was dismissed.
func AskedAndAnswered(input, output string) (questions []*fastjson.Value, answers *fastjson.Value, ok bool) {
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

// PickedIn returns the parts of an answer in one text: the text itself, or the labels and
// the words in it if the question takes several labels.
func PickedIn(answer string, question *fastjson.Value, labels []string) []string {
	if !question.GetBool("multiSelect") || slices.Contains(labels, answer) {
		return []string{answer}
	}
	picked, words := SplitPicked(labels, answer)
	return append(picked, words)
}

// SplitPicked splits an answer such as "A, B, and my own words" into the labels picked
// and the person's words. Labels are found at the beginning and at the end, the longest
// first, because a label may hold a comma.
func SplitPicked(labels []string, answer string) (picked []string, words string) {
	left := answer
	for left != "" {
		label, found := longest(labels, func(l string) bool { return left == l || strings.HasPrefix(left, l+", ") })
		if !found {
			break
		}
		picked = append(picked, label)
		left = strings.TrimPrefix(left[len(label):], ", ")
	}
	var last []string
	for left != "" {
		label, found := longest(labels, func(l string) bool { return strings.HasSuffix(left, ", "+l) })
		if !found {
			break
		}
		last = append(last, label)
		left = strings.TrimSuffix(left, ", "+label)
	}
	slices.Reverse(last)
	return append(picked, last...), left
}

func longest(labels []string, fits func(string) bool) (label string, found bool) {
	for _, l := range labels {
		if l != "" && len(l) >= len(label) && fits(l) {
			label, found = l, true
		}
	}
	return label, found
}
