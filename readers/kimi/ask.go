package kimi

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// ask is a dialog about a call, with its answer (FORMAT.md §5).
type ask struct {
	call       *call
	kind       string // approval, question or user_tool
	at         time.Time
	answeredAt time.Time
	answered   bool
	decision   string // approved, rejected or cancelled; of a question the same words
	session    bool   // granted for the session
	feedback   string
	label      string // the option that the user chose
	rule       string // what the user allowed for the session
	questions  string // JSON
	answers    []tables.Answer
	stopped    bool // the turn was cancelled while the dialog was open
}

// The decisions in an answer.
const (
	approved  = "approved"
	rejected  = "rejected"
	cancelled = "cancelled"
)

// asked handles the opening of a dialog. An approval's call stands only after the
// answer, so the dialog makes the call.
func (w *wire) asked(v *fastjson.Value) {
	request := v.Get("request")
	a := &ask{kind: w.talk.words.Of(v.GetStringBytes("kind")), at: w.talk.at}
	id := readers.Text(v, "toolCallId")
	if dialog := readers.Text(v, "id"); dialog != "" && w.asks[dialog] == nil {
		w.asks[dialog] = a
	}
	c := w.calls[id]
	if session := readers.Text(request, "sessionId"); w.about.askedIn == "" {
		w.about.askedIn = session
	}
	if a.kind == "approval" {
		s := w.open()
		if s == nil {
			return // the lines of the step are missing: the call's own line follows
		}
		if c = w.callOf(s, id, w.talk.words.Of(request.GetStringBytes("toolName"))); !c.made {
			c.pending(request.Get("display"))
		}
	}
	if c == nil {
		return
	}
	c.ask, a.call = a, c
	if a.kind == "question" {
		a.questions = readers.JSON(request.Get("questions"))
	}
}

// answered handles the answer. If a question was asked in the background, the call's
// result came before it: then the decision follows here.
func (w *wire) answered(v *fastjson.Value) {
	a := w.asks[readers.Text(v, "id")]
	response := v.Get("response")
	if a == nil || a.answered || response == nil {
		return
	}
	a.answered, a.answeredAt = true, w.talk.at
	if a.kind != "question" {
		a.decide(response)
		return
	}
	a.answer(response)
	c := a.call
	if c == nil || c.emitted == nil {
		return
	}
	refusal, decision := c.byPerson(a, c.emitted)
	c.emitted.Answers = a.answers
	if refusal != nil {
		w.in.Emit(refusal)
	}
	if decision != nil {
		w.in.Emit(decision)
	}
}

// answer takes the answers to a question. If the user closed it, they are null.
func (a *ask) answer(response *fastjson.Value) {
	a.decision = rejected
	if response.Type() != fastjson.TypeObject {
		return
	}
	given := response
	if response.GetObject("answers") != nil {
		given = response.Get("answers")
	}
	if a.answers = answersOf(a.questions, given); len(a.answers) > 0 {
		a.decision = approved
	}
}

// decide takes the decision of an answer.
func (a *ask) decide(response *fastjson.Value) {
	a.decision = readers.Text(response, "decision")
	a.session = readers.Text(response, "scope") == "session"
	a.feedback, a.label = readers.Text(response, "feedback"), readers.Text(response, "selectedLabel")
}

// approval handles the record of an approval's answer, with the rule that it made.
func (w *wire) approval(v *fastjson.Value) {
	id := readers.Text(v, "toolCallId")
	c := w.calls[id]
	if c == nil || c.made && c.ask == nil {
		s := w.open()
		if s == nil {
			return
		}
		c = w.callOf(s, id, w.talk.words.Of(v.GetStringBytes("toolName")))
	}
	if c.ask == nil {
		c.ask = &ask{kind: "approval"} // the dialog's line is missing
	}
	if !c.ask.answered {
		c.ask.answered, c.ask.answeredAt = true, w.talk.at
	}
	c.ask.decide(v.Get("result"))
	if rule := readers.Text(v, "sessionApprovalRule"); rule != "" && c.ask.session {
		c.ask.rule = rule
		w.allowed[rule] = true
	}
}

// waited returns how long the user took to answer.
func (a *ask) waited() tables.Maybe[int64] {
	if a.at.IsZero() || a.answeredAt.Before(a.at) {
		return tables.Maybe[int64]{}
	}
	return tables.Some(a.answeredAt.Sub(a.at).Milliseconds())
}

// answersOf pairs questions with their answers, which are keyed by the question.
func answersOf(asked string, answers *fastjson.Value) []tables.Answer {
	questions, err := fastjson.Parse(asked)
	if err != nil {
		return nil
	}
	return readers.Answers(questions.GetArray(), func(_ int, q *fastjson.Value, labels []string) (texts []string) {
		answer := answers.Get(readers.Text(q, "question"))
		if answer == nil {
			return nil
		}
		if answer.Type() == fastjson.TypeString {
			return readers.PickedIn(readers.Text(answer), q, labels)
		}
		texts = append(texts, readers.Texts(answer.GetArray())...)
		return texts
	})
}
