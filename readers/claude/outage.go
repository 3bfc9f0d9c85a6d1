package claude

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// outage is a series of retries of one request. From line to line, retryAttempt rises
// by one (FORMAT.md §5.3).
type outage struct {
	failure     *tables.Failure
	what        string // the error
	first, last time.Time
	attempt     int64 // number of the last attempt
	attempts    int
	most        int64 // maximum number of attempts
}

// retry takes the line of a failed request that Claude Code tries again. It emits one
// failure for a whole series of retries. If the line is not later than the last marker,
// the user's interruption caused it, and retry emits no failure.
func (t *transcript) retry(r *record, m *tables.Message) {
	m.Kind = tables.KindError
	m.Text = apiErrorText(r)
	t.say(r, m)
	t.retried[r.uuid] = r.parent
	if !t.stoppedAt.IsZero() && !r.at.After(t.stoppedAt) {
		return
	}
	attempt := readers.Int(r.Value, "retryAttempt")
	if n := len(t.outages); n > 0 && attempt.OK && attempt.Value == t.outages[n-1].attempt+1 {
		o := t.outages[n-1]
		o.what, o.last, o.attempt = cmp.Or(apiErrorWhat(r), o.what), r.at, attempt.Value
		o.attempts++
		o.failure.Marker = o.String()
		return
	}
	o := &outage{
		failure:  t.failure(r, tables.EvidenceInferred, 0.7),
		what:     apiErrorWhat(r),
		first:    r.at,
		last:     r.at,
		attempt:  attempt.Value,
		attempts: 1,
		most:     readers.Int(r.Value, "maxRetries").Value,
	}
	o.failure.Retried, o.failure.Marker = true, o.String()
	t.outages = append(t.outages, o)
	t.emit(o.failure)
}

// failure makes a failed request at a line. If the message above the line is a response
// of the model, that response is the part of the answer that arrived.
func (t *transcript) failure(r *record, evidence string, confidence float64) *tables.Failure {
	f := &tables.Failure{Evidence: evidence, Confidence: confidence, Timestamp: r.at}
	if above := t.asked(r.parent); t.chain.answers(above) {
		f.CutUUID = above
	}
	return f
}

// asked returns uuid or the nearest line above it that is a message and no retry: the
// message that the request was to answer. It shortens the path for later calls.
func (t *transcript) asked(uuid string) string {
	var way []string
	for {
		uuid = t.chain.visible(uuid)
		parent, ok := t.retried[uuid]
		if !ok || uuid == "" {
			break
		}
		t.retried[uuid] = "" // ends a ring in a damaged log
		way = append(way, uuid)
		uuid = parent
	}
	for _, line := range way {
		t.retried[line] = uuid
	}
	return uuid
}

// retries returns how often and how long Claude Code retried before the final error;
// nil if it didn't retry.
func (t *transcript) retries() map[string]any {
	if len(t.outages) == 0 {
		return nil
	}
	attempts := 0
	for _, o := range t.outages {
		attempts += o.attempts
	}
	return map[string]any{
		"attempts": attempts,
		"first":    t.outages[0].first.Format(time.RFC3339Nano),
		"last":     t.outages[len(t.outages)-1].last.Format(time.RFC3339Nano),
	}
}

func (o *outage) String() string {
	text := strings.TrimSuffix("api_error: "+o.what, ": ")
	of := ""
	if o.most > 0 {
		of = fmt.Sprintf(" of %d", o.most)
	}
	if o.attempts > 1 {
		return text + fmt.Sprintf(" (%d attempts%s, the last at %s)", o.attempts, of, o.last.Format(time.RFC3339))
	}
	if of != "" {
		text += fmt.Sprintf(" (attempt %d%s)", o.attempt, of)
	}
	return text
}

// apiErrorWhat returns the error's text without the number of the attempt. It is empty
// for 2.0.x, which doesn't record the error.
func apiErrorWhat(r *record) string {
	err := r.Get("error")
	text := cmp.Or(readers.Text(err), readers.Text(err, "error", "error", "message"), readers.Text(err, "message"),
		readers.Text(r.Value, "cause", "message"), readers.Text(r.Value, "cause", "code"))
	if status := readers.Int(err, "status"); status.OK {
		text = strings.TrimSpace(fmt.Sprintf("%d %s", status.Value, text))
	}
	return text
}

func apiErrorText(r *record) string {
	text := apiErrorWhat(r)
	attempt, most := readers.Int(r.Value, "retryAttempt"), readers.Int(r.Value, "maxRetries")
	if attempt.OK {
		text = strings.TrimSpace(fmt.Sprintf("%s (attempt %d of %d)", text, attempt.Value, most.Value))
	}
	return "api_error: " + text
}
