package pilines

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// about holds what lines outside the conversation say of the session.
type about struct {
	*tables.Session
	extra readers.Extra
}

// noted makes a line's method of a method of about.
func noted(take func(about, *fastjson.Value)) func(*log, *entry, *fastjson.Value) {
	return func(l *log, _ *entry, v *fastjson.Value) { take(about{&l.session, l.extra}, v) }
}

// named handles a name that the user gave; an empty name removes the title.
func (a about) named(v *fastjson.Value) { a.Title = strings.TrimSpace(readers.Text(v, "name")) }

func (a about) titled(v *fastjson.Value) {
	if title := readers.Text(v, "title"); title != "" {
		a.Title = title
	}
}

// label keeps the bookmarks by their line's id. A label without text removes the
// bookmark.
func (a about) label(v *fastjson.Value) {
	labels, _ := a.extra["labels"].(map[string]string)
	if labels == nil {
		labels = map[string]string{}
	}
	if text := readers.Text(v, "label"); text != "" {
		labels[readers.Text(v, "targetId")] = text
	} else {
		delete(labels, readers.Text(v, "targetId"))
	}
	a.extra.Set("labels", labels)
	if len(labels) == 0 {
		delete(a.extra, "labels")
	}
}

func (a about) thinkingLevel(v *fastjson.Value) {
	a.extra.Text("thinking_level", readers.Text(v, "thinkingLevel"))
}

func (a about) mode(v *fastjson.Value) { a.extra.Text("mode", readers.Text(v, "mode")) }

// begun handles the start of oh-my-pi's subagent, which names the agent.
func (a about) begun(v *fastjson.Value) { a.extra.Text("agent", readers.Text(v, "agent")) }
