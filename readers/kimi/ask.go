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
	isAnswered bool
	decision   string // approved, rejected or cancelled; of a question the same words
	forSession bool   // granted for the session
	feedback   string
	label      string // the option that the user chose
	rule       string // what the user allowed for the session
	questions  string // JSON
	answers    []tables.Answer
	isStopped  bool // the turn was cancelled while the dialog was open
}

// The decisions in an answer.
const (
	approved  = "approved"
	rejected  = "rejected"
	cancelled = "cancelled"
)

// askRequested handles the opening of a dialog. An approval's call stands only after the
// answer, so the dialog makes the call.
func (w *wire) askRequested(v *fastjson.Value) {
	request := v.Get("request")
	a := &ask{kind: w.chat.words.Intern(v.GetStringBytes("kind")), at: w.chat.at}
	id := readers.Text(v, "toolCallId")
	if dialog := readers.Text(v, "id"); dialog != "" && w.asks[dialog] == nil {
		w.asks[dialog] = a
	}
	c := w.calls[id]
	if session := readers.Text(request, "sessionId"); w.facts.dialogSession == "" {
		w.facts.dialogSession = session
	}
	if a.kind == "approval" {
		s := w.openStep()
		if s == nil {
			return // the lines of the step are missing: the call's own line follows
		}
		if c = w.stepCall(s, id, w.chat.words.Intern(request.GetStringBytes("toolName"))); !c.hasLine {
			// If the process died at the ask, the arguments were never written (FORMAT.md §5).
			c.setArguments(request.Get("display"), request.Get("display"))
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

// askResolved handles the answer. If a question was asked in the background, the call's
// result came before it: then the decision follows here.
func (w *wire) askResolved(v *fastjson.Value) {
	a := w.asks[readers.Text(v, "id")]
	response := v.Get("response")
	if a == nil || a.isAnswered || response == nil {
		return
	}
	a.isAnswered, a.answeredAt = true, w.chat.at
	if a.kind != "question" {
		a.setDecision(response)
		return
	}
	a.setAnswers(response)
	c := a.call
	if c == nil || c.emitted == nil {
		return
	}
	refusal, decision := c.personsDecision(a, c.emitted)
	c.emitted.Answers = a.answers
	if refusal != nil {
		w.in.Emit(refusal)
	}
	if decision != nil {
		w.in.Emit(decision)
	}
}

// setAnswers sets the answers to a question. If the user closed it, they are null.
func (a *ask) setAnswers(response *fastjson.Value) {
	a.decision = rejected
	if response.Type() != fastjson.TypeObject {
		return
	}
	values := response
	if response.GetObject("answers") != nil {
		values = response.Get("answers")
	}
	if a.answers = answersOf(a.questions, values); len(a.answers) > 0 {
		a.decision = approved
	}
}

// setDecision sets the decision of an answer.
func (a *ask) setDecision(response *fastjson.Value) {
	a.decision = readers.Text(response, "decision")
	a.forSession = readers.Text(response, "scope") == "session"
	a.feedback, a.label = readers.Text(response, "feedback"), readers.Text(response, "selectedLabel")
}

// approvalRecorded handles the record of an approval's answer, with the rule that it
// made.
func (w *wire) approvalRecorded(v *fastjson.Value) {
	id := readers.Text(v, "toolCallId")
	c := w.calls[id]
	if c == nil || c.hasLine && c.ask == nil {
		s := w.openStep()
		if s == nil {
			return
		}
		c = w.stepCall(s, id, w.chat.words.Intern(v.GetStringBytes("toolName")))
	}
	if c.ask == nil {
		c.ask = &ask{kind: "approval"} // the dialog's line is missing
	}
	if !c.ask.isAnswered {
		c.ask.isAnswered, c.ask.answeredAt = true, w.chat.at
	}
	c.ask.setDecision(v.Get("result"))
	if rule := readers.Text(v, "sessionApprovalRule"); rule != "" && c.ask.forSession {
		c.ask.rule = rule
		w.allowed[rule] = true
	}
}

// answersOf pairs questions with their answers, which are keyed by the question.
func answersOf(asked string, answers *fastjson.Value) []tables.Answer {
	questions, err := fastjson.Parse(asked)
	if err != nil {
		return nil
	}
	return readers.Answers(questions.GetArray(), func(_ int, q *fastjson.Value, labels []string) []string {
		answer := answers.Get(readers.Text(q, "question"))
		if answer == nil {
			return nil
		}
		if answer.Type() == fastjson.TypeString {
			return readers.SplitAnswer(readers.Text(answer), q, labels)
		}
		return readers.Texts(answer.GetArray())
	})
}
