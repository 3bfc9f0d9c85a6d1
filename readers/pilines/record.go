package pilines

import (
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// record handles one line (readers/pi/FORMAT.md §2).
func (l *log) record(v *fastjson.Value, line readers.Line) {
	kind := l.words.Of(v.GetStringBytes("type"))
	if l.records++; l.first == 0 {
		l.first = line.Number
	}
	switch kind {
	case "session":
		l.kinds.Record(v, kind, true, "", readers.Time(v.Get("timestamp")))
		l.header(v)
		return
	case "title": // oh-my-pi's title, before the header
		l.kinds.Record(v, kind, true, "", readers.Time(v.Get("updatedAt")))
		l.slot = readers.Text(v, "title")
		return
	}
	take := entryKinds[kind]
	if take == nil {
		l.unknown(v, kind)
		return
	}
	if !l.opened {
		l.headless(line.Number)
	}
	e := l.add(v, line.Number)
	if kind == "message" {
		kind, take = l.role(v)
	}
	l.kinds.Record(v, kind, take != nil, "", e.at)
	if take != nil && !e.again {
		take(l, e, v)
	}
}

// entryKinds maps the types of lines below the header to their methods.
var entryKinds = map[string]func(*log, *entry, *fastjson.Value){
	"message":               ignore, // handled by its role
	"custom_message":        (*log).customMessage,
	"compaction":            (*log).compaction,
	"branch_summary":        (*log).branchSummary,
	"reset_boundary":        (*log).reset,
	"session_info":          (*log).named,
	"title_change":          (*log).titled,
	"label":                 (*log).label,
	"thinking_level_change": (*log).thinkingLevel,
	"mode_change":           (*log).mode,
	"session_init":          (*log).begun,
	"model_change":          ignore, // each response names its own model
	"custom":                ignore, // an extension's state
	"model_usage":           (*log).aside,
	"service_tier_change":   ignore,
	"ttsr_injection":        ignore,
	"credential_pin":        ignore,
	"archive":               ignore,
}

func ignore(*log, *entry, *fastjson.Value) {}

// unknown counts a line of unknown kind. The line may still be the parent of others.
func (l *log) unknown(v *fastjson.Value, kind string) {
	if kind == "" {
		kind = "(no type)"
	}
	at := readers.Time(v.Get("timestamp"))
	l.kinds.Count(kind, false, "", at)
	if v.Exists("id") && v.Exists("parentId") {
		l.add(v, 0)
	}
}

// headless begins the session of a file without a header, which is another program's or
// damaged. The id is from the file's name.
func (l *log) headless(line int64) {
	l.in.Emit(&tables.Problem{Line: line, What: "no session header before this line: the session's id is taken from the file's name"})
	l.open()
}

// named handles a name that the user gave; an empty name removes the title.
func (l *log) named(_ *entry, v *fastjson.Value) {
	l.session.Title = strings.TrimSpace(readers.Text(v, "name"))
}

func (l *log) titled(_ *entry, v *fastjson.Value) {
	if title := readers.Text(v, "title"); title != "" {
		l.session.Title = title
	}
}

// label keeps the bookmarks by their line's id. A label without text removes the
// bookmark.
func (l *log) label(_ *entry, v *fastjson.Value) {
	labels, _ := l.extra["labels"].(map[string]string)
	if labels == nil {
		labels = map[string]string{}
	}
	if text := readers.Text(v, "label"); text != "" {
		labels[readers.Text(v, "targetId")] = text
	} else {
		delete(labels, readers.Text(v, "targetId"))
	}
	l.extra["labels"] = labels
	if len(labels) == 0 {
		delete(l.extra, "labels")
	}
}

func (l *log) thinkingLevel(_ *entry, v *fastjson.Value) {
	l.note("thinking_level", readers.Text(v, "thinkingLevel"))
}

func (l *log) mode(_ *entry, v *fastjson.Value) { l.note("mode", readers.Text(v, "mode")) }

// begun handles the start of oh-my-pi's subagent, which names the agent.
func (l *log) begun(_ *entry, v *fastjson.Value) {
	l.note("agent", readers.Text(v, "agent"))
}

func (l *log) note(key, text string) {
	if text != "" {
		l.extra[key] = text
	}
}
