package conversation

import (
	"context"
	"strings"
	"time"
)

// Compacted is a compaction: messages that a summary took the place of.
type Compacted struct {
	Event
	Trigger                string // auto or manual; empty where unknown
	Inferred               bool   // the trigger is worked out
	TokensBefore           *int64
	TokensAfter            *int64
	Estimated              bool // the tokens are the agent's estimate
	Took                   time.Duration
	Summary                string
	Source                 string   // inline, memory file, encrypted or none
	Replaced               int64    // messages that the summary stands for; 0 where unknown
	Messages, Calls        int64    // since the compaction before
	LastPrompt, LastAnswer string   // before it
	NotNamed               []string // files read or edited since the compaction before that the summary doesn't name, the latest first
}

var compactions = events{
	table: "compactions", fixed: "true", order: "x.timestamp DESC, x.uuid, x.agent, x.session_id, x.after_message_index",
	project: "s.project", kind: "x.trigger", texts: []string{"x.summary", "s.about"},
}

// compactionSQL tells what went out of the context as the query before-compaction
// does. A test holds both to the same.
const (
	compactionColumns = `x.after_message_index, x.uuid, x.trigger, x.trigger_inferred, x.pre_tokens, x.post_tokens, x.tokens_estimated, x.duration_ms, x.summary, x.summary_source,
	len(x.replaced_message_indices) AS replaced, (
		SELECT max(k.after_message_index) FROM with_copies.compactions k
		WHERE k.agent = x.agent AND k.session_id = x.session_id AND k.after_message_index < x.after_message_index) AS begun`
	compactionSQL = `, said AS (
	SELECT g.n, count(*) FILTER (m.kind IS DISTINCT FROM 'usage') AS messages,
		arg_max(m.text, m.message_index) FILTER (m.kind = 'prompt' AND m.typed_by = 'human') AS last_prompt,
		arg_max(m.text, m.message_index) FILTER (m.kind = 'response' AND m.text IS NOT NULL) AS last_answer
	FROM page g JOIN with_copies.messages m ON m.agent = g.agent AND m.session_id = g.session_id
		AND m.message_index > coalesce(g.begun, -1) AND m.message_index <= g.after_message_index
	GROUP BY g.n
), calls AS (
	SELECT g.n, c.tool_kind, c.status, c.file_path, c.message_index, c.parent_tool_use_id, g.summary, g.folder
	FROM page g JOIN with_copies.tool_calls c ON c.agent = g.agent AND c.session_id = g.session_id
		AND c.message_index > coalesce(g.begun, -1) AND c.message_index <= g.after_message_index
), touched AS (
	SELECT n, max(message_index) AS last, any_value(replace(file_path, folder || '/', '')) AS file
	FROM calls WHERE tool_kind IN ('read', 'edit') AND status = 'ok' AND file_path IS NOT NULL
	GROUP BY n, file_path
	HAVING bool_or(contains(summary, regexp_extract(file_path, '[^/\\]+$'))) IS NOT TRUE
), lost AS (
	SELECT n, string_agg(file, chr(31) ORDER BY last DESC, file) AS files FROM touched GROUP BY n
), called AS (
	SELECT n, count(*) AS calls FROM calls WHERE parent_tool_use_id IS NULL GROUP BY n
)
SELECT ` + shared + `, g.after_message_index, g.trigger, g.trigger_inferred, g.pre_tokens, g.post_tokens, g.tokens_estimated, g.duration_ms, g.summary, g.summary_source, g.replaced,
	s.messages, c.calls, s.last_prompt, s.last_answer, l.files
FROM page g LEFT JOIN said s ON s.n = g.n LEFT JOIN called c ON c.n = g.n LEFT JOIN lost l ON l.n = g.n
ORDER BY g.n`
)

// Compactions gives the compactions, newest first, and how many match in all.
func Compactions(ctx context.Context, run Run, f Filter) ([]Compacted, int64, error) {
	return eventsListed(ctx, run, &f, &compactions, compactionColumns, compactionSQL, func(row []any) Compacted {
		c := Compacted{
			Event: eventOf(row), Trigger: text(row[8]), Inferred: row[9] == true, TokensBefore: maybe[int64](row[10]), TokensAfter: maybe[int64](row[11]),
			Estimated: row[12] == true, Took: time.Duration(number(row[13])) * time.Millisecond, Summary: text(row[14]), Source: text(row[15]),
			Replaced: number(row[16]), Messages: number(row[17]), Calls: number(row[18]), LastPrompt: text(row[19]), LastAnswer: text(row[20]),
		}
		c.Index = numberOr(row[7], -1)
		c.Place = c.Index
		if files := text(row[21]); files != "" {
			c.NotNamed = strings.Split(files, "\x1f")
		}
		return c
	})
}
