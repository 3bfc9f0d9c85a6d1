package vscode

import (
	"path"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// editEvent is what the user did to a file that was edited (FORMAT.md §7).
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

func editEvents(list []*fastjson.Value) []editEvent {
	var events []editEvent
	for _, v := range list {
		events = append(events, editEvent{locationOf(v.Get("uri")).path, readers.Int(v, "eventKind").Value})
	}
	return events
}

// byEvent lists the files by what was done to them.
func byEvent(events []editEvent) map[string][]string {
	m := map[string][]string{}
	for _, e := range events {
		if key := editKeys[e.kind]; key != "" {
			m[key] = append(m[key], e.path)
		}
	}
	return m
}

// undone are rejections of edits that the user took back.
type undone map[*call]*tables.Rejection

// undoneEdits are told by the next request, or for the last one by the
// review's state.
func (c *chat) undoneEdits() undone {
	u := undone{}
	var before *request
	for _, r := range c.requests {
		for _, e := range r.edited {
			if e.kind == editUndone && before != nil && r.user != nil {
				u.reject(before, e.path, "Undo", r.user.Timestamp)
			}
		}
		if !r.removed {
			before = r
		}
	}
	for _, e := range c.review() {
		for _, r := range c.requests {
			if e.kind == reviewRejected && r.id == e.request && r.id != "" {
				u.reject(r, e.path, "Rejected", time.Time{})
			}
		}
	}
	return u
}

// reject names an edit only where it is the request's only one of the file. The
// kind is VS Code's word for what the user did.
func (u undone) reject(r *request, file, kind string, at time.Time) {
	if t := onlyEdit(r, file); t != nil && u[t] == nil {
		u[t] = &tables.Rejection{
			ToolUseID: t.ToolUseID, RejectionType: tables.RejectEdit, DecidedBy: tables.ByUser, DenialKind: kind,
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: at,
		}
	}
}

// onlyEdit is the request's edit of a file where it is the only one, and ran.
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

// reviewed is a file in the review of a session's edits (FORMAT.md §7).
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

// review reads the state of the edits' review, which stands beside the session.
func (c *chat) review() []reviewed {
	if c.at.folder == "" || c.reviewRead {
		return c.reviews
	}
	c.reviewRead = true
	data, err := c.in.Beside(path.Join(c.at.folder, "chatEditingSessions", c.sessionID(), "state.json"))
	if err != nil {
		return nil
	}
	v, err := c.parser.ParseBytes(data)
	if err != nil {
		return nil
	}
	for _, e := range v.GetArray("recentSnapshot", "entries") {
		c.reviews = append(c.reviews, reviewed{
			path:    locationOf(e.Get("resource")).path,
			request: readers.Text(e, "telemetryInfo", "requestId"),
			kind:    readers.Int(e, "state").Value,
		})
	}
	return c.reviews
}

// reviewedFiles lists the files of the review by what became of their edits.
func (c *chat) reviewedFiles() map[string][]string {
	m := map[string][]string{}
	for _, e := range c.review() {
		if key := reviewKeys[e.kind]; key != "" {
			m[key] = append(m[key], e.path)
		}
	}
	return m
}
