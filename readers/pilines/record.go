package pilines

import (
	"cmp"
	"hindsql/internal/fastjson"
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
	if l.claw != nil {
		if own := clawKinds[kind]; own != nil {
			take = own
		}
		l.claw.before(v)
	}
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
	"custom_message":        (*log).injected,
	"compaction":            (*log).compaction,
	"branch_summary":        (*log).branchSummary,
	"reset_boundary":        (*log).reset,
	"session_info":          noted(about.named),
	"title_change":          noted(about.titled),
	"label":                 noted(about.label),
	"thinking_level_change": noted(about.thinkingLevel),
	"mode_change":           noted(about.mode),
	"session_init":          noted(about.begun),
	"model_change":          ignore, // each response names its own model
	"custom":                ignore, // an extension's state
	"context_edit":          (*log).contextEdit,
	"usage":                 (*log).aside,
	"model_usage":           (*log).aside,
	"service_tier_change":   ignore,
	"ttsr_injection":        ignore,
	"credential_pin":        ignore,
	"archive":               ignore,
}

func ignore(*log, *entry, *fastjson.Value) {}

// unknown counts a line of unknown kind. The line may still be the parent of others.
func (l *log) unknown(v *fastjson.Value, kind string) {
	kind = cmp.Or(kind, "(no type)")
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
