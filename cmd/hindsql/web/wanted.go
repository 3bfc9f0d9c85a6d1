package web

import (
	"html/template"
	"math"
	"time"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// longestShown is the most bytes of a text that a list shows.
const longestShown = 6000

// eventFunctions returns the functions that templates of events call.
func eventFunctions() template.FuncMap {
	return template.FuncMap{
		"wanted": wanted, "subject": subject, "kept": kept, "markdown": func(s string) template.HTML { return html.Markdown(kept(s)) }, "text": func(s string) template.HTML { return html.Text(kept(s)) },
		"code": html.Code, "lasted": lasted, "did": did, "oneline": oneLine, "cost": cost, "letters": func(s string) string { return words.Int(int64(utf8.RuneCountInString(s))) }, "decider": conversation.Decider, "rowSQL": rowSQL, "sqlURL": sqlURL,
		"followed": followed,
		"whole":    func(e conversation.Event, part string) string { return wholeURL(e.Agent, e.Session, e.ToolUse, part) }, "rest": func(s string) int { return max(0, len(s)-longestShown) }, "short": func(s string) string { return oneLine(s, 160) },
	}
}

// wanted renders what a refused call would have done: its change, command, plan,
// question or arguments.
func wanted(e conversation.Event, diff string) template.HTML {
	switch {
	case diff != "":
		return html.Diff(diff, conversation.Below(e.Project, e.File))
	case e.Command != "":
		return html.Code("bash", kept(e.Command))
	case e.Asked != "":
		return `<div class="asked">` + html.Markdown(kept(e.Asked)) + `</div>`
	case e.Input != "":
		return html.Code("json", kept(conversation.Argument{Text: e.Input}.Indented()))
	}
	return ""
}

// kept returns the part of a text that a list shows.
func kept(s string) string {
	return words.CutTo(s, longestShown, words.Bytes)
}

// subject names a call's subject in one line.
func subject(e conversation.Event) string {
	about := oneLine(e.Subject, 120)
	switch {
	case e.Tool == "":
		return about
	case about == "":
		return printable.Line(e.Tool)
	}
	return printable.Line(e.Tool) + ": " + about
}

// oneLine returns the beginning of a text, as one line of at most letters characters.
func oneLine(text string, letters int) string {
	return printable.Line(words.Line(text, letters))
}

// followed says what the agent did after a refusal.
func followed(a after) string {
	switch a.Next {
	case "again":
		if a.Command == "" {
			return "the same file again"
		}
		return "the same command again"
	case "same tool":
		return "the same tool, with something else"
	case "another tool":
		return "another tool"
	case answered:
		return "an answer"
	}
	return "nothing"
}

// did returns the agent's next action after a refusal, in one line.
func did(a after) string {
	if a.Next == answered {
		return oneLine(a.Answer, 400)
	}
	return subject(conversation.Event{Tool: a.Tool, Subject: a.About})
}

// lasted returns a length of time for people; empty for zero.
func lasted(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return words.Duration(d)
}

// cost returns an amount of money, with ~ before an estimate; empty if unknown.
func cost(recorded, estimated *float64) string {
	sign := ""
	if recorded == nil {
		recorded, sign = estimated, "~"
	}
	if recorded == nil || math.IsNaN(*recorded) {
		return ""
	}
	return sign + words.Dollars(*recorded)
}
