package vscode

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// nobodyThere is the answer that VS Code gives to each question itself, in autopilot.
const nobodyThere = "The user is not available to respond and will review your work later. Work autonomously and make good decisions."

// answersOf returns the questions of askQuestions with what the person answered
// (microsoft/vscode, builtinTools/askQuestionsTool.ts): the result has the labels picked
// and the person's words by the question's header. It returns nil if the result is none,
// or VS Code's own.
func answersOf(t *call, result string) []tables.Answer {
	if t.ToolKind != tables.ToolQuestion || t.outcome.status != tables.StatusOK {
		return nil
	}
	questions, given, ok := readers.AskedAndAnswered(t.Input, result)
	if !ok {
		return nil
	}
	return readers.Answers(questions, func(_ int, q *fastjson.Value, _ []string) (texts []string) {
		answer := given.Get(readers.Text(q, "header"))
		for _, label := range answer.GetArray("selected") {
			texts = append(texts, readers.Text(label))
		}
		if words := readers.Text(answer, "freeText"); words != nobodyThere {
			texts = append(texts, words)
		}
		return texts
	})
}
