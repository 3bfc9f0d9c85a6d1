package cline

import "strings"

// wrapped is a user's text without Cline's wrapper (FORMAT.md §3.1).
type wrapped struct {
	wrapped bool
	mode    string // act, plan or yolo
	text    string
	slash   string // the command that made the text; empty if none did
	notice  string // Cline's words about a change of the mode
	rest    string // what Cline added behind the wrapper, such as files
}

const (
	inputTag   = "<user_input"
	inputEnd   = "</user_input>"
	commandTag = "<user_command"
	commandEnd = "</user_command>"
	noticeTag  = "<mode_notice>"
	noticeEnd  = "</mode_notice>"
)

// unwrap takes a text apart. Only a wrapper at the text's beginning counts, behind a
// notice: Cline puts both there, and a person types behind them.
func unwrap(text string) wrapped {
	w := wrapped{text: text}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, noticeTag); ok {
		if notice, behind, ok := strings.Cut(inner, noticeEnd); ok {
			w.notice, text = notice, strings.TrimSpace(behind)
		}
	}
	attributes, inner, behind, ok := element(text, inputTag, inputEnd)
	if !ok {
		return w
	}
	w.wrapped, w.text, w.rest = true, inner, strings.TrimSpace(behind)
	w.mode = attribute(attributes, "mode")
	if notice, ok := strings.CutPrefix(w.text, noticeTag); ok && w.notice == "" {
		if notice, behind, ok := strings.Cut(notice, noticeEnd); ok {
			w.notice, w.text = notice, strings.TrimLeft(behind, "\n ")
		}
	}
	if attributes, inner, behind, ok := element(strings.TrimSpace(w.text), commandTag, commandEnd); ok && behind == "" {
		if slash := attribute(attributes, "slash"); slash != "" {
			w.slash, w.text = slash, strings.TrimSpace(inner)
		}
	}
	return w
}

// element splits a text that begins with a tag. If the text ends with the end tag, the
// element ends there: a person may have typed the end tag, too.
func element(text, tag, end string) (attributes, inner, behind string, ok bool) {
	rest, ok := strings.CutPrefix(text, tag)
	if !ok || rest == "" || rest[0] != ' ' && rest[0] != '>' {
		return "", "", "", false
	}
	attributes, rest, ok = strings.Cut(rest, ">")
	if !ok {
		return "", "", "", false
	}
	if inner, ok := strings.CutSuffix(rest, end); ok {
		return attributes, inner, "", true
	}
	inner, behind, ok = strings.Cut(rest, end)
	return attributes, inner, behind, ok
}

func attribute(attributes, name string) string {
	_, value, ok := strings.Cut(attributes, name+`="`)
	if !ok {
		return ""
	}
	value, _, _ = strings.Cut(value, `"`)
	return value
}
