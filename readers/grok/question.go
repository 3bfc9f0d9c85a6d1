package grok

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// judgeQuestion judges a question to the user. The call's result is the program's own
// (FORMAT.md §4).
func (j judge) judgeQuestion(c *call) {
	if c.resultType != "AskUserQuestion" || c.failed || c.result == nil {
		return
	}
	waited := c.result.DurationMS
	if !waited.OK {
		waited = readers.MillisBetween(c.shownAt(), c.result.Timestamp)
	}
	switch {
	case strings.HasPrefix(c.endText, answeredStart), strings.HasPrefix(c.endText, answeredByID):
		j.emit(&tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, WaitedMS: waited})
		c.result.Answers = answersIn(c.Input, c.endText)
	case strings.HasPrefix(c.endText, declinedStart):
		j.refuseByWords(c, &tables.Rejection{DecidedBy: tables.ByUser, DenialKind: "declined"}, waited)
	case strings.HasPrefix(c.endText, clarifyStart):
		j.refuseByWords(c, &tables.Rejection{DecidedBy: tables.ByUser, DenialKind: "clarify"}, waited)
	case strings.HasPrefix(c.endText, nobodyStart):
		j.refuseByWords(c, &tables.Rejection{DecidedBy: tables.ByNobody}, waited)
	}
}

// refuseByWords emits a refusal that only the program's sentence shows.
func (j judge) refuseByWords(c *call, x *tables.Rejection, waited tables.Maybe[int64]) {
	x.Evidence, x.Confidence = tables.EvidenceWording, byWords
	j.emitRefusal(c, x)
	if x.DecidedBy == tables.ByUser && waited.OK {
		j.emit(&tables.Decision{ToolUseID: c.ToolUseID, WaitedMS: waited})
	}
}

// shownAt returns when the user was shown a question or a plan: after the answer of a
// rule, otherwise after the call.
func (c *call) shownAt() time.Time {
	if c.ask != nil {
		return c.ask.answered
	}
	return c.Timestamp
}

// otherChoice stands for an answer in the user's own words, which follow as notes.
const (
	otherChoice = "Other"
	notesStart  = " user notes: "
)

// answersIn returns the questions of a call with the answers in its result: "q"="a",
// separated by commas. Nothing is escaped, so the known questions find the places.
func answersIn(input, result string) []tables.Answer {
	asked, err := fastjson.Parse(input)
	if err != nil || !strings.HasPrefix(result, answeredStart) {
		return nil
	}
	questions, rest := asked.GetArray("questions"), result[len(answeredStart):]
	if end := strings.LastIndex(rest, ". You can now continue"); end >= 0 {
		rest = rest[:end]
	}
	texts := make([]string, len(questions))
	for i, q := range questions {
		_, after, found := strings.Cut(rest, `"`+readers.Text(q, "question")+`"="`)
		if !found {
			continue
		}
		rest = after
		if texts[i] = after; i+1 < len(questions) {
			texts[i], _, _ = strings.Cut(after, `, "`+readers.Text(questions[i+1], "question")+`"="`)
		}
	}
	return readers.Answers(questions, func(i int, q *fastjson.Value, labels []string) []string {
		answer, notes, _ := strings.Cut(texts[i], notesStart)
		answer, _, _ = strings.Cut(answer, "\" selected preview:\n")
		answer = strings.TrimSuffix(answer, `"`)
		if answer == "" && notes == "" {
			return nil
		}
		picked := readers.SplitAnswer(answer, q, labels)
		if notes == "" {
			return picked
		}
		if answer == otherChoice {
			return []string{notes}
		}
		return append(picked, notes)
	})
}

// judgePlan judges a plan that the user was shown. An approval leaves only the sign that
// the program went on: the tool ran, and plan mode ended if it was on. The other answers
// are the program's sentences (FORMAT.md §4).
func (j judge) judgePlan(t *turn, c *call) {
	if c.result == nil {
		return
	}
	waited := readers.MillisBetween(c.shownAt(), c.result.Timestamp)
	person := waited.OK && waited.Value >= personWaits
	no := &tables.Rejection{DecidedBy: tables.ByUser}
	switch {
	case strings.HasPrefix(c.endText, planClosed):
		no.DenialKind = "closed"
	case c.failed || c.result.Status != tables.StatusOK:
		return
	case strings.HasPrefix(c.endText, reviseStart):
		no.DenialKind, no.Reason = "revise", strings.TrimSpace(strings.TrimPrefix(c.endText, reviseWords))
		if !strings.HasPrefix(c.endText, reviseWords) {
			no.Reason = ""
		}
	case strings.HasPrefix(c.endText, keepPlanning):
		no.DenialKind = "revise"
	case strings.HasPrefix(c.endText, abandonedStart):
		no.DenialKind = "abandoned"
	case !person:
		return // approved by nobody: no program that could show the plan was there
	case t.planModeEnded || c.ran || c.resultType != "":
		j.emit(&tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, WaitedMS: waited, Confidence: byWait})
		return
	}
	j.refuseByWords(c, no, waited)
}

// modeChanged marks the end of plan mode.
func (l *log) modeChanged(u *update) {
	if l.turn != nil && readers.FirstText(u.Value, "currentModeId", "current_mode_id", "modeId") == "default" {
		l.turn.planModeEnded = true
	}
}

// The sentences of plans and questions (FORMAT.md §4).
const (
	reviseStart    = "The user wants to revise the plan."
	reviseWords    = "The user wants to revise the plan. The user said:\n"
	keepPlanning   = "The user does not want to exit plan mode."
	abandonedStart = "The user chose to abandon the plan entirely"
	planClosed     = "Plan approval could not be completed because the client disconnected"
	answeredStart  = "User has answered your questions: "
	answeredByID   = "User questions responses:"
	declinedStart  = "User declined to answer"
	clarifyStart   = "The user wants to clarify these questions."
	nobodyStart    = "No user is available to answer questions"
)
