package claude

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"hindsql/internal/fastjson"
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

// handleRetry handles the line of a failed request that Claude Code tries again. It
// emits one failure for a whole series of retries. If the line is not later than the
// last marker, the user's interruption caused it, and handleRetry emits no failure.
func (t *transcript) handleRetry(r *record, m *tables.Message) {
	m.Kind = tables.KindError
	m.Text = apiErrorText(r)
	t.emitMessage(r, m)
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
		failure:  t.newRequestFailure(r, tables.EvidenceInferred, 0.7),
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

// newRequestFailure makes a failed request at a line. If the message above the line is
// a response of the model, that response is the part of the answer that arrived.
func (t *transcript) newRequestFailure(r *record, evidence string, confidence float64) *tables.Failure {
	f := &tables.Failure{Evidence: evidence, Confidence: confidence, Timestamp: r.at}
	if above := t.messageAbove(r.parent); t.chain.isResponse(above) {
		f.CutUUID = above
	}
	return f
}

// messageAbove returns uuid or the nearest line above it that is a message and no
// retry: the message that the request was to answer. It shortens the path for later
// calls.
func (t *transcript) messageAbove(uuid string) string {
	var way []string
	for {
		uuid = t.chain.nearestMessage(uuid)
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

// handleUnreadableAnswer handles an answer that a gateway (a proxy between Claude Code
// and the API) sent in a form that Claude Code can't read: single characters under the
// keys "0", "1" …. The answer's text and tokens are lost. It returns true if the line
// holds no other content.
func (t *transcript) handleUnreadableAnswer(r *record) bool {
	first := r.Get("message", "0")
	if first == nil || first.Type() != fastjson.TypeString {
		return false
	}
	t.emit(&tables.Problem{
		Line: r.line, ByteOffset: t.offset,
		What: "a gateway's answer in a form that Claude Code could not read: its text and its tokens are lost",
	})
	t.unreadableAt, t.unreadable = r.at, r.uuid
	return len(r.GetArray("message", "content")) == 0
}

// markerAfterUnreadable is the longest time between an unreadable answer and the marker
// that Claude Code writes by itself. Measured: 1 to 2 ms.
const markerAfterUnreadable = 20 * time.Millisecond

// followsUnreadableAnswer reports whether Claude Code wrote the marker by itself after an
// unreadable answer. No person presses a key so soon.
func (t *transcript) followsUnreadableAnswer(r *record) bool {
	return t.unreadable != "" && r.parent == t.unreadable && !r.at.IsZero() && r.at.Sub(t.unreadableAt).Abs() <= markerAfterUnreadable
}

// emitUnreadableAnswer emits an unreadable answer as a failed request. The evidence is
// inferred, because no line says that the answer ended the turn.
func (t *transcript) emitUnreadableAnswer(r *record) {
	t.emit(&tables.Failure{Marker: "the answer could not be read", Evidence: tables.EvidenceInferred, Confidence: 0.7, Timestamp: r.at})
}

// emitAPIError emits a request that Claude Code gave up: the API's error stands in place of
// the response (FORMAT.md §5.3). If the request was aborted, a person probably stopped
// it, so emitAPIError emits an interruption instead.
func (t *transcript) emitAPIError(r *record, m *tables.Message) {
	f := t.newRequestFailure(r, tables.EvidenceRecorded, 1)
	f.Marker = cmp.Or(m.Text, readers.Text(r.Value, "error"))
	if !strings.Contains(m.Text, "Request was aborted") {
		t.emit(f)
		return
	}
	t.emit(&tables.Interruption{
		Type:       tables.InterruptedByUser,
		Phase:      tables.PhaseResponse,
		CutUUID:    f.CutUUID,
		CutNothing: f.CutUUID == "",
		Marker:     f.Marker,
		Evidence:   tables.EvidenceInferred,
		Confidence: 0.5,
		Timestamp:  r.at,
	})
}
