package vscode

import (
	"path"

	"hindsql/internal/fastjson"
	"hindsql/internal/lists"
	"hindsql/readers"
	"hindsql/tables"
)

// editEvent is what the user did to an edited file (FORMAT.md §7).
type editEvent struct {
	path string
	kind int64
}

const (
	editKept = iota + 1
	editUndone
	editModified
)

var editKeys = map[int64]string{editKept: "edits_kept", editUndone: "edits_undone", editModified: "edits_modified"}

func readEditEvents(list []*fastjson.Value) []editEvent {
	return lists.Map(list, func(v *fastjson.Value) editEvent {
		return editEvent{readLocation(v.Get("uri")).path, readers.Int(v, "eventKind").Value}
	})
}

// filesByAction lists the files by the user's action.
func filesByAction(events []editEvent) map[string][]string {
	m := map[string][]string{}
	for _, e := range events {
		if key := editKeys[e.kind]; key != "" {
			m[key] = append(m[key], e.path)
		}
	}
	return m
}

// keptEdits maps each edit with a known fate to an EditKept constant.
type keptEdits map[*call]string

// resolveEdits returns what became of edits. A request records what the user did to
// files of the previous request. For the last request, the state file of the review
// (see readReview) does.
func (c *chat) resolveEdits() keptEdits {
	f := keptEdits{}
	var before *request
	for _, r := range c.requests {
		for _, e := range r.edited {
			if before != nil {
				f.set(before, e.path, map[int64]string{editKept: tables.EditKept, editUndone: tables.EditUndone, editModified: tables.EditChanged}[e.kind])
			}
		}
		if !r.removed {
			before = r
		}
	}
	for _, e := range c.readReview() {
		for _, r := range c.requests {
			if r.id == e.request && r.id != "" {
				f.set(r, e.path, map[int64]string{reviewAccepted: tables.EditKept, reviewRejected: tables.EditUndone}[e.kind])
			}
		}
	}
	return f
}

// set records the fate of the edit that the request made to a file. If the request made
// several edits of the file, their fates stay unknown. The first fate of an edit stays.
func (f keptEdits) set(r *request, file, fate string) {
	if t := onlyEdit(r, file); t != nil && f[t] == "" && fate != "" {
		f[t] = fate
	}
}

// onlyEdit returns the request's successful edit of a file. It returns nil if the
// request has no successful edit of the file, or several.
func onlyEdit(r *request, file string) *call {
	var only *call
	for _, b := range r.rounds {
		for _, t := range b.calls {
			if t.ToolKind != tables.ToolEdit || !samePath(t.FilePath, file) || t.outcome.status != tables.StatusOK {
				continue
			}
			if only != nil {
				return nil
			}
			only = t
		}
	}
	return only
}

// reviewed is one file in the review, in which the user keeps or undoes a session's
// edits (FORMAT.md §7).
type reviewed struct {
	path, request string
	kind          int64
}

const (
	reviewPending = iota
	reviewAccepted
	reviewRejected
)

var reviewKeys = map[int64]string{reviewPending: "edits_pending", reviewAccepted: "edits_kept", reviewRejected: "edits_undone"}

// readReview reads the state of the review of the session's edits, a file in the
// session's workspace folder. It returns nil if there is none.
func (c *chat) readReview() []reviewed {
	if c.at.folder == "" || c.reviewRead {
		return c.reviews
	}
	c.reviewRead = true
	data, err := c.in.ReadFile(path.Join(c.at.folder, "chatEditingSessions", c.sessionID(), "state.json"))
	if err != nil {
		return nil
	}
	v, err := c.parser.ParseBytes(data)
	if err != nil {
		return nil
	}
	for _, e := range v.GetArray("recentSnapshot", "entries") {
		c.reviews = append(c.reviews, reviewed{
			path:    readLocation(e.Get("resource")).path,
			request: readers.Text(e, "telemetryInfo", "requestId"),
			kind:    readers.Int(e, "state").Value,
		})
	}
	return c.reviews
}

// reviewedFiles lists the files of the review by the outcome of their edits.
func (c *chat) reviewedFiles() map[string][]string {
	m := map[string][]string{}
	for _, e := range c.readReview() {
		if key := reviewKeys[e.kind]; key != "" {
			m[key] = append(m[key], e.path)
		}
	}
	return m
}
