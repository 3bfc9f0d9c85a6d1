package tables

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"hindsql/internal/lists"
)

// Answer is a question of a call, and what a person answered.
type Answer struct {
	Question string
	Options  []string // labels offered, in their order; empty if a person could only write
	Picked   []string // labels picked, in the order of the answer; empty if none
	Words    string   // what the person wrote instead, or besides; empty if nothing
}

// SetAnswer sets what the person answered: texts that are labels are picked, others are
// words. Empty texts are ignored.
func (a *Answer) SetAnswer(texts ...string) {
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

// IsAnswered reports whether the person picked or wrote anything.
func (a *Answer) IsAnswered() bool { return len(a.Picked) > 0 || a.Words != "" }

// AnswersType is the type of a column of questions with their answers, as DESCRIBE
// writes it.
const AnswersType = `STRUCT(question VARCHAR, "options" VARCHAR[], picked VARCHAR[], words VARCHAR)[]`

func putAnswer(v *structVector, a Answer) {
	v.add()
	v.fields[0].(*textVector).addMaybe(a.Question)
	addList(v.fields[1], a.Options, (*textVector).add)
	addList(v.fields[2], a.Picked, (*textVector).add)
	v.fields[3].(*textVector).addMaybe(a.Words)
}

// listVector holds lists. The elements of all lists are in another vector, in order.
type listVector struct {
	nulls
	ends     growBuffer[int32] // 0, and the end of each list in elements
	elements vector
	count    int // of elements
}

// add adds a list whose n elements the caller then adds to elements.
func (v *listVector) add(n int) {
	if v.pending > 0 || v.written == 0 {
		v.writeNulls()
	}
	v.count += n
	v.ends.extend(1, int32(v.count))
	v.written++
}

func (v *listVector) writeNulls() {
	if v.written == 0 {
		v.ends.extend(1, 0)
	}
	if v.pending > 0 {
		v.ends.extend(v.pending, int32(v.count))
		v.nulls.writeNulls()
	}
}

func (v *listVector) finish() arrow.ArrayData {
	v.writeNulls()
	v.count = 0
	elements := v.elements.finish()
	return v.newData([]arrow.ArrayData{elements}, v.ends.detach())
}

// addList adds a list to a listVector, by a function that adds an element; null for nil.
func addList[E any, V vector](v vector, list []E, add func(V, E)) {
	l := v.(*listVector)
	if list == nil {
		l.skip(1)
		return
	}
	l.add(len(list))
	for _, e := range list {
		add(l.elements.(V), e)
	}
}

// structVector holds structs. The values of each field are in a vector of their own.
type structVector struct {
	nulls
	fields []vector
}

// add adds a struct. The caller then adds one value or null to each field.
func (v *structVector) add() {
	if v.pending > 0 {
		v.writeNulls()
	}
	v.written++
}

func (v *structVector) writeNulls() {
	for _, f := range v.fields {
		f.base().skip(v.pending)
	}
	v.nulls.writeNulls()
}

func (v *structVector) finish() arrow.ArrayData {
	if v.pending > 0 {
		v.writeNulls()
	}
	children := lists.Map(v.fields, func(f vector) arrow.ArrayData { return f.finish() })
	return v.newData(children)
}
