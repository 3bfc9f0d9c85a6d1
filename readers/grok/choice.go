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
	if c.own != "AskUserQuestion" || c.failed || c.result == nil {
		return
	}
	waited := c.result.DurationMS
	if !waited.OK {
		waited = since(c.shown(), c.result.Timestamp)
	}
	switch {
	case strings.HasPrefix(c.said, answeredStart), strings.HasPrefix(c.said, answeredByID):
		j.emit(&tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, WaitedMS: waited})
		c.result.Answers = answersIn(c.Input, c.said)
	case strings.HasPrefix(c.said, declinedStart):
		j.decline(c, &tables.Rejection{DecidedBy: tables.ByUser, DenialKind: "declined"}, waited)
	case strings.HasPrefix(c.said, clarifyStart):
		j.decline(c, &tables.Rejection{DecidedBy: tables.ByUser, DenialKind: "clarify"}, waited)
	case strings.HasPrefix(c.said, nobodyStart):
		j.decline(c, &tables.Rejection{DecidedBy: tables.ByNobody}, waited)
	}
}

// decline emits a refusal that only the program's sentence tells.
func (j judge) decline(c *call, x *tables.Rejection, waited tables.Maybe[int64]) {
	x.Evidence, x.Confidence = tables.EvidenceWording, byWords
	j.refuse(c, x)
	if x.DecidedBy == tables.ByUser && waited.OK {
		j.emit(&tables.Decision{ToolUseID: c.ToolUseID, WaitedMS: waited})
	}
}

// shown returns when the user was shown a question or a plan: after the answer of a rule,
// otherwise after the call.
func (c *call) shown() time.Time {
	if c.ask != nil {
		return c.ask.answered
	}
	return c.Timestamp
}

// since returns the ms between two times; missing if one is unknown.
func since(from, to time.Time) tables.Maybe[int64] {
	if from.IsZero() || to.Before(from) {
		return tables.Maybe[int64]{}
	}
	return tables.Some(to.Sub(from).Milliseconds())
}

// otherChoice stands for an answer in the user's own words, which follow as notes.
const (
	otherChoice = "Other"
	notesStart  = " user notes: "
)

// answersIn returns the questions of a call with the answers in its result: "q"="a",
// separated by commas. Nothing is escaped, so the known questions find the places.
func answersIn(input, said string) []tables.Answer {
	asked, err := fastjson.Parse(input)
	if err != nil || !strings.HasPrefix(said, answeredStart) {
		return nil
	}
	questions, rest := asked.GetArray("questions"), said[len(answeredStart):]
	if end := strings.LastIndex(rest, ". You can now continue"); end >= 0 {
		rest = rest[:end]
	}
	given := make([]string, len(questions))
	for i, q := range questions {
		_, after, found := strings.Cut(rest, `"`+readers.Text(q, "question")+`"="`)
		if !found {
			continue
		}
		rest = after
		if given[i] = after; i+1 < len(questions) {
			given[i], _, _ = strings.Cut(after, `, "`+readers.Text(questions[i+1], "question")+`"="`)
		}
	}
	return readers.Answers(questions, func(i int, q *fastjson.Value, labels []string) []string {
		answer, notes, _ := strings.Cut(given[i], notesStart)
		answer, _, _ = strings.Cut(answer, "\" selected preview:\n")
		answer = strings.TrimSuffix(answer, `"`)
		if answer == "" && notes == "" {
			return nil
		}
		picked := readers.PickedIn(answer, q, labels)
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
	waited := since(c.shown(), c.result.Timestamp)
	person := waited.OK && waited.Value >= personWaits
	no := &tables.Rejection{DecidedBy: tables.ByUser}
	switch {
	case strings.HasPrefix(c.said, planClosed):
		no.DenialKind = "closed"
	case c.failed || c.result.Status != tables.StatusOK:
		return
	case strings.HasPrefix(c.said, reviseStart):
		no.DenialKind, no.Reason = "revise", strings.TrimSpace(strings.TrimPrefix(c.said, reviseWords))
		if !strings.HasPrefix(c.said, reviseWords) {
			no.Reason = ""
		}
	case strings.HasPrefix(c.said, keepPlanning):
		no.DenialKind = "revise"
	case strings.HasPrefix(c.said, abandonedStart):
		no.DenialKind = "abandoned"
	case !person:
		return // approved by nobody: no program that could show the plan was there
	case t.mode || c.ran || c.own != "":
		j.emit(&tables.Decision{ToolUseID: c.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, WaitedMS: waited, Confidence: byWait})
		return
	}
	j.decline(c, no, waited)
}

// modeChanged notes the end of plan mode.
func (l *log) modeChanged(u *update) {
	if l.turn != nil && readers.FirstText(u.Value, "currentModeId", "current_mode_id", "modeId") == "default" {
		l.turn.mode = true
	}
}
