package gemini

import (
	"strconv"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// systemStops are notices and errors that say why the agent stopped, other
// than by the user (FORMAT.md §4.4).
var systemStops = readers.Lazy(`^(Agent execution (stopped|blocked):|A potential loop was detected\.` +
	`|The session has reached the maximum number of turns|⚠️\s+Response (stopped|truncated) ` +
	`|\[API Error:|This request failed\.)`)

// endsTurn are those after which nothing more is done for the prompt. After the
// others the agent, or who uses it, may go on: with a retry, another model, or
// what the hook wants instead.
var endsTurn = readers.Lazy(`^(Agent execution stopped:|The session has reached the maximum number of turns)`)

var (
	compressedTokens  = readers.Lazy(`^IMPORTANT: This conversation (?:approached|exceeded) .*\(compressed from: (\w+) to (\w+) tokens\)`)
	compressedPercent = readers.Lazy(`^Context compressed from ([0-9.]+)% to ([0-9.]+)%`)
)

// contextLimit is what percentages are of: the tokens that a model of Gemini 2
// and 3 can take in.
const contextLimit = 1 << 20

// compressionNotice reads the notices of compressions. One by command
// leaves a notice without text (FORMAT.md §4.6).
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

// number is a count of so many units; missing where the notice says "unknown".
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

// compaction tells of one where an entry says so: a notice, or the summary that
// 0.44 on puts into the history. Both may tell of the same one.
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
