package tables

import (
	"slices"
	"strings"
)

// Answer is a question of a call, and what a person answered.
type Answer struct {
	Question string
	Options  []string // labels offered, in their order; empty if a person could only write
	Picked   []string // labels picked, in the order of the answer; empty if none
	Words    string   // what the person wrote instead, or besides; empty if nothing
}

// Answer sets what the person answered: texts that are labels are picked, others are
// words. Empty texts are ignored.
func (a *Answer) Answer(texts ...string) {
	a.Picked = []string{}
	var words []string
	for _, text := range texts {
		switch {
		case text == "":
		case slices.Contains(a.Options, text):
			a.Picked = append(a.Picked, text)
		default:
			words = append(words, text)
		}
	}
	a.Words = strings.Join(words, "\n")
}

// Answered reports whether the person picked or wrote anything.
func (a *Answer) Answered() bool { return len(a.Picked) > 0 || a.Words != "" }

// AnswersType is the type of a column of questions with their answers, as DESCRIBE
// writes it.
const AnswersType = `STRUCT(question VARCHAR, "options" VARCHAR[], picked VARCHAR[], words VARCHAR)[]`

func putAnswer(v *structVector, a Answer) {
	v.add()
	v.fields[0].(*textVector).addMaybe(a.Question)
	v.fields[1].(*listVector).addTexts(a.Options)
	v.fields[2].(*listVector).addTexts(a.Picked)
	v.fields[3].(*textVector).addMaybe(a.Words)
}
