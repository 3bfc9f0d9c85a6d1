package gemini

import (
	"strconv"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/tables"
)

// systemStops matches notices and errors that say why Gemini CLI stopped, if the user
// didn't stop it (FORMAT.md §4.4).
var systemStops = pattern.Lazy(`^(Agent execution (stopped|blocked):|A potential loop was detected\.` +
	`|The session has reached the maximum number of turns|⚠️\s+Response (stopped|truncated) ` +
	`|\[API Error:|This request failed\.)`)

// endsTurn matches the notices after which the turn is over. After the other notices
// the work may go on: with a retry, another model, or a request of a hook.
var endsTurn = pattern.Lazy(`^(Agent execution stopped:|The session has reached the maximum number of turns)`)

var (
	compressedTokens  = pattern.Lazy(`^IMPORTANT: This conversation (?:approached|exceeded) .*\(compressed from: (\w+) to (\w+) tokens\)`)
	compressedPercent = pattern.Lazy(`^Context compressed from ([0-9.]+)% to ([0-9.]+)%`)
)

// contextLimit is the size in tokens that 100 % stands for in a notice: the limit of
// Gemini 2 and 3 models.
const contextLimit = 1 << 20

// compressionNotice returns the compaction reported by a notice; nil for other notices.
// After a compaction by the user's command, the notice's text is empty (FORMAT.md
// §4.6).
func compressionNotice(text, model string) *tables.Compaction {
	c := &tables.Compaction{Trigger: "auto", SummarySource: tables.SummaryNone}
	if m := compressedTokens.FindStringSubmatch(text); m != nil {
		c.PreTokens, c.PostTokens = number(m[1], 1), number(m[2], 1)
		return c
	}
	if m := compressedPercent.FindStringSubmatch(text); m != nil {
		if strings.Contains(model, "gemini-2") || strings.Contains(model, "gemini-3") {
			c.PreTokens, c.PostTokens = number(m[1], contextLimit/100.0), number(m[2], contextLimit/100.0)
			c.TokensEstimated = true
		}
		return c
	}
	if text == "" {
		c.Trigger, c.TriggerInferred = "manual", true
		return c
	}
	return nil
}

// number returns a count of units; missing if the notice says "unknown".
func number(text string, unit float64) tables.Maybe[int64] {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return tables.Maybe[int64]{}
	}
	if n *= unit; n <= 2*tables.MostCounted {
		return tables.Some(int64(n))
	}
	return tables.Some[int64](tables.NotACount)
}

// compaction emits a compaction for an entry: a notice, or the summary that versions
// from 0.44 on add to the history. Two reports of the same compaction become one.
func (c *chat) compaction(e *entry) {
	var found *tables.Compaction
	switch {
	case e.Message.Kind == tables.KindSummary:
		found = &tables.Compaction{Summary: e.Text, SummarySource: tables.SummaryInline}
		for _, id := range e.preserved {
			found.PreservedUUIDs = append(found.PreservedUUIDs, c.uuidOf(c.byID[id]))
		}
	case e.kind == "info" && e.Message.Kind == tables.KindNotice:
		found = compressionNotice(e.Text, c.model)
	}
	switch last := c.compacted; {
	case found == nil:
		if e.Message.Kind == tables.KindPrompt || e.Message.Kind == tables.KindResponse {
			c.compacted = nil
		}
	case last != nil && last.Summary == "" && found.Summary != "":
		last.Summary, last.SummarySource = found.Summary, found.SummarySource
	case last != nil && last.Trigger == "" && found.Trigger != "":
		last.Trigger, last.TriggerInferred, last.TokensEstimated = found.Trigger, found.TriggerInferred, found.TokensEstimated
		last.PreTokens, last.PostTokens = found.PreTokens, found.PostTokens
	default:
		found.UUID, found.Timestamp = e.UUID, e.Timestamp
		c.compacted = found
		c.in.Emit(found)
	}
}
