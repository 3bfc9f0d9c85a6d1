package claude

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// outage is a series of retries of one request: retryAttempt rises by one from
// line to line (FORMAT.md §5.3).
type outage struct {
	cut         string // uuid of what the request answers
	what        string // the error
	first, last time.Time
	attempt     int64 // the last one's number
	attempts    int
	most        int64 // attempts that there will be
}

// retry is a request that failed and is tried again. Whether that was a stop
// is told by what follows.
func (t *transcript) retry(r *record, m *tables.Message) {
	m.Kind = tables.KindError
	m.Text = apiErrorText(r)
	t.say(r, m)
	t.retried[r.uuid] = r.parent
	attempt := readers.Int(r.Value, "retryAttempt")
	if n := len(t.outages); n > 0 && attempt.OK && attempt.Value == t.outages[n-1].attempt+1 {
		o := &t.outages[n-1]
		o.what, o.last, o.attempt = cmp.Or(apiErrorWhat(r), o.what), r.at, attempt.Value
		o.attempts++
		return
	}
	t.outages = append(t.outages, outage{
		cut:      t.asked(r.parent),
		what:     apiErrorWhat(r),
		first:    r.at,
		last:     r.at,
		attempt:  attempt.Value,
		attempts: 1,
		most:     readers.Int(r.Value, "maxRetries").Value,
	})
}

// asked is the message at or above a line that was being answered: no line of
// a retry. The lines on the way then know it, too.
func (t *transcript) asked(uuid string) string {
	var way []string
	for {
		uuid = t.chain.visible(uuid)
		parent, ok := t.retried[uuid]
		if !ok || uuid == "" {
			break
		}
		t.retried[uuid] = "" // where a ring ends that a damaged log tied
		way = append(way, uuid)
		uuid = parent
	}
	for _, line := range way {
		t.retried[line] = uuid
	}
	return uuid
}

// answered drops the series of retries before a line that tells how they
// ended: an answer came after all, or the line is itself the row of that stop.
func (t *transcript) answered() { t.outages = nil }

// unanswered tells of series after which nothing came: a stop, as far as can
// be told. Such as followed each other at once may be of one request, which is
// sent anew without streaming; each is a row all the same.
func (t *transcript) unanswered() {
	for _, o := range t.outages {
		t.emit(&tables.Interruption{
			Type:       tables.InterruptedBySystem,
			Phase:      tables.PhaseResponse,
			CutUUID:    o.cut,
			Marker:     o.String(),
			Evidence:   tables.EvidenceInferred,
			Confidence: 0.7,
			Timestamp:  o.first,
		})
	}
	t.outages = nil
}

// retries are what an API's error, which ends a series, tells of it.
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

// apiErrorWhat is the error without the attempt; 2.0.x wrote none.
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
