package openclaw

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
)

// headBytes is how far into an event of a run its type stands, at most.
const headBytes = 1024

// runs are the runs that a session's record of runs says were cut, by their ids.
type runs struct {
	byID   map[string]*pilines.Run
	order  []string
	ended  map[string]bool // those that were cut
	parser fastjson.Parser
}

// readRuns reads the ends of runs and of interrupted calls. A run's other events repeat the
// conversation and the model's instructions.
func (w *window) readRuns() error {
	if w.db.Columns("trajectory_runtime_events") == nil {
		return nil
	}
	w.runs = runs{byID: map[string]*pilines.Run{}, ended: map[string]bool{}}
	return w.db.Query(func(row *sqlite.Row) error {
		w.runs.event(row.Text(0), row.Text(1))
		return nil
	}, `SELECT run_id, event_json FROM trajectory_runtime_events WHERE session_id = ?1 AND octet_length(event_json) <= ?2 AND (
		instr(substr(event_json, 1, ?3), '"type":"session.ended"') > 0
		OR instr(substr(event_json, 1, ?3), '"type":"tool.result"') > 0 AND instr(event_json, '"success":false') > 0) ORDER BY seq`, w.id, cellLimit, headBytes)
}

func (r *runs) event(id, text string) {
	v, err := r.parser.Parse(text)
	if err != nil || id == "" {
		return
	}
	run := r.byID[id]
	if run == nil {
		run = &pilines.Run{ID: id, CallsEnd: map[string]time.Time{}}
		r.byID[id], r.order = run, append(r.order, id)
	}
	at, data := readers.Time(v.Get("ts")), v.Get("data")
	switch readers.Text(v, "type") {
	case "tool.result":
		if content := data.GetArray("result", "content"); len(content) == 1 && readers.Text(content[0], "text") == "Aborted" || readers.Text(data, "result") == "Aborted" {
			run.CallsEnd[readers.Text(data, "toolCallId")] = at
		}
	case "session.ended":
		run.EndedAt = at
		run.ByUser = data.GetBool("externalAbort") && !data.GetBool("timedOut")
		r.ended[id] = data.GetBool("aborted") || data.GetBool("timedOut") || readers.Text(data, "status") == "interrupted"
	}
}

// list lists the runs that were cut. A run that was tried again ended with the last try.
func (r *runs) list() (list []pilines.Run) {
	for _, id := range r.order {
		if r.ended[id] && !r.byID[id].EndedAt.IsZero() {
			list = append(list, *r.byID[id])
		}
	}
	return list
}
