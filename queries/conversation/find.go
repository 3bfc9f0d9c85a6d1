package conversation

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
)

// Search describes a search for text. The zero value of a filter means no filter.
type Search struct {
	Text         string // plain text, or a regular expression if Regex is set; in any case
	Regex        bool
	Since, Until time.Time
	Agent        string
	Project      string   // part of the project's folder, in any case
	Kinds        []string // of [Kinds]
	Top          int      // hits; 0 for all
	Offset       int      // number of hits to skip; ignored if Top is 0
	Here         []string // folders whose hits come first, subfolders included
}

// Hit is one match of the text.
type Hit struct {
	Agent, Session, Project, About string
	ProjectName                    string // shortest unique name of the project
	Index                          int64  // index of the message; -1 if unknown
	Place                          int64  // index of the message to show; for a call's input or output, the message that makes the call
	Time                           time.Time
	Kind                           string   // of [Kinds]
	Line                           string   // line of the match; from a long line, the part around the match
	Matches                        [][2]int // byte ranges of all matches in Line; the first is the hit
}

// Reference returns the session's id, with the index of the hit's message if known.
func (h *Hit) Reference() string {
	if h.Index < 0 {
		return h.Session
	}
	return fmt.Sprintf("%s:%d", h.Session, h.Index)
}

// Kinds lists the kinds of searched texts: message kinds, thinking, a call's input and
// output, and the reason of a refusal.
func Kinds() []string {
	return []string{"prompt", "response", "thinking", "input", "output", "reason", "command", "command_output", "injected", "summary", "interruption", "notice", "error"}
}

// pattern returns the regular expression for texts, and the expression for JSON inputs.
func (s *Search) pattern() (text, input string, err error) {
	if s.Regex {
		_, err := regexp.Compile(s.Text) // DuckDB and Go share RE2's syntax
		return s.Text, s.Text, err
	}
	return regexp.QuoteMeta(s.Text), inJSON(s.Text), nil // arguments are JSON
}

// Find returns the hits: first from the folders in Here, then from elsewhere, each
// newest first. The result more means that further hits exist beyond the limit. The
// error for a bad expression is a [*regexp/syntax.Error].
func (s *Search) Find(ctx context.Context, run Run) (hits []Hit, more bool, err error) {
	text, input, err := s.pattern()
	if err != nil {
		return nil, false, err
	}
	args := map[string]any{"since": momentText(s.Since), "until": momentText(s.Until), "agent": s.Agent, "project": s.Project}
	set, err := run(ctx, s.sql(text, input), args)
	if err != nil {
		return nil, false, err
	}
	mark, err := regexp.Compile("(?i)" + text)
	if err != nil {
		return nil, false, err
	}
	for i, row := range set.Rows {
		if s.Top > 0 && i == s.Top {
			return hits, true, nil
		}
		hits = append(hits, hitOf(row, mark))
	}
	return hits, false, nil
}

func momentText(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Format(time.RFC3339Nano)
}

// texts holds the query for each kind of searched text. Its parameters are the pattern,
// the pattern for JSON, and the condition on kind.
var texts = []struct {
	kinds []string // nil: the kinds in the column kind
	sql   string
}{
	{nil, "SELECT agent, session_id, project, message_index, timestamp AS time, kind, text AS whole, %[1]s AS pattern, message_index AS shown FROM messages WHERE %[3]s AND regexp_matches(text, %[1]s, 'i')"},
	{[]string{"thinking"}, "SELECT agent, session_id, project, message_index, timestamp, 'thinking', thinking, %[1]s, message_index FROM messages WHERE regexp_matches(thinking, %[1]s, 'i')"},
	{[]string{"input"}, "SELECT agent, session_id, project, message_index, timestamp, 'input', CAST(input AS VARCHAR), %[2]s, message_index FROM tool_calls WHERE regexp_matches(CAST(input AS VARCHAR), %[2]s, 'i')"},
	{[]string{"output"}, "SELECT agent, session_id, project, coalesce(result_message_index, message_index), coalesce(finished_at, timestamp), 'output', output, %[1]s, message_index FROM tool_calls WHERE regexp_matches(output, %[1]s, 'i')"},
	{[]string{"reason"}, "SELECT agent, session_id, project, message_index, timestamp, 'reason', reason, %[1]s, coalesce((SELECT any_value(c.message_index) FROM tool_calls c WHERE c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id), message_index) FROM rejections r WHERE regexp_matches(reason, %[1]s, 'i')"},
}

// around is the number of characters taken before and after a match.
const around = 300

// sql returns the query for the hits. The pattern is quoted into the SQL, because
// DuckDB would compile a bound pattern again for every row.
func (s *Search) sql(text, input string) string {
	var parts []string
	for _, t := range texts {
		kind := "true"
		if len(s.Kinds) > 0 && t.kinds != nil && !slices.Contains(s.Kinds, t.kinds[0]) {
			continue
		}
		if len(s.Kinds) > 0 && t.kinds == nil {
			kind = "kind IN (" + sqltext.Literals(s.Kinds) + ")"
		}
		parts = append(parts, fmt.Sprintf(strings.ReplaceAll(t.sql, "WHERE regexp", "WHERE %[3]s AND regexp"), quotedPattern(text), quotedPattern(input), kind))
	}
	limit := ""
	if s.Top > 0 {
		limit = fmt.Sprintf(" LIMIT %d OFFSET %d", s.Top+1, s.Offset)
	}
	return `WITH found AS (
	SELECT *, ` + inFolders(s.Here) + ` AS here FROM (` + strings.Join(parts, "\nUNION ALL ") + `)
	WHERE ($since IS NULL OR time >= CAST($since AS TIMESTAMPTZ)) AND ($until IS NULL OR time < CAST($until AS TIMESTAMPTZ))
		AND ($agent = '' OR agent = $agent) AND in_project(project, nullif($project, ''))
	ORDER BY here DESC, time DESC NULLS LAST, agent, session_id, message_index DESC, kind` + limit + `
), placed AS (
	SELECT *, left(regexp_extract(whole, pattern, 0, 'i'), 1000) AS match, strpos(whole, match) AS place FROM found
)
SELECT p.agent, p.session_id, p.project, s.about, p.message_index, p.time, p.kind, substr(whole, greatest(place - ` + fmt.Sprint(around) + `, 1), least(place - 1, ` + fmt.Sprint(around) + `)),
	p.match, substr(whole, place + length(p.match), ` + fmt.Sprint(around) + `), p.shown, coalesce(n.name, p.project)
FROM placed p LEFT JOIN sessions s ON s.agent = p.agent AND s.session_id = p.session_id LEFT JOIN projects n ON n.project = p.project
ORDER BY p.here DESC, p.time DESC NULLS LAST, p.agent, p.session_id, p.message_index DESC, p.kind`
}

// inFolders returns an SQL expression: whether column project is one of the folders or
// below one. Without folders the expression is false.
func inFolders(folders []string) string {
	var or []string
	for _, f := range folders {
		or = append(or, "project = "+sqltext.Literal(f), "starts_with(project, "+sqltext.Literal(strings.TrimSuffix(f, "/")+"/")+")")
	}
	if or == nil {
		return "false"
	}
	return "coalesce(" + strings.Join(or, " OR ") + ", false)"
}

func hitOf(row []any, mark *regexp.Regexp) Hit {
	before, found, after := text(row[7]), text(row[8]), text(row[9])
	clipped := utf8.RuneCountInString(before) == around
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before, clipped = before[i+1:], false
	}
	rest := utf8.RuneCountInString(after) == around
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after, rest = after[:i], false
	}
	before = strings.TrimLeft(before, " \t")
	if clipped {
		before = "…" + before
	}
	after = strings.TrimRight(after, " \t\r")
	if rest {
		after += "…"
	}
	h := Hit{
		Agent: text(row[0]), Session: text(row[1]), Project: text(row[2]), ProjectName: text(row[11]), About: text(row[3]),
		Index: numberOr(row[4], -1), Place: numberOr(row[10], -1), Time: moment(row[5]), Kind: text(row[6]),
		Line: before + found + after, Matches: [][2]int{{len(before), len(before) + len(found)}},
	}
	for _, m := range mark.FindAllStringIndex(h.Line, 50) {
		if m[0] >= len(before)+len(found) || m[1] <= len(before) {
			h.Matches = append(h.Matches, [2]int{m[0], m[1]})
		}
	}
	return h
}

// Mark lists the noteworthy events at one message.
type Mark struct {
	Index int64
	Kinds []MarkKind // without duplicates
}

// MarkKind is a kind of mark.
type MarkKind string

// The kinds of marks. A call's marks stand at the message that makes the call.
const (
	MarkPrompt     MarkKind = "prompt" // typed by a person
	MarkRefused    MarkKind = "refused"
	MarkDenied     MarkKind = "denied"  // by a rule, hook … and not by a person
	MarkSkipped    MarkKind = "skipped" // the call was dropped with another call, or lost
	MarkStop       MarkKind = "stop"
	MarkError      MarkKind = "error"
	MarkCompaction MarkKind = "compaction"
	MarkClear      MarkKind = "clear"
)

// outlineSQL reads no texts.
const outlineSQL = `WITH marks AS (
	SELECT message_index AS place, 'prompt' AS mark FROM messages WHERE agent = $agent AND session_id = $id AND kind IN ('prompt', 'command') AND typed_by = 'human'
	UNION ALL
	SELECT coalesce(c.message_index, r.message_index), CASE WHEN r.cascaded THEN 'skipped' WHEN r.decided_by = 'user' THEN 'refused' ELSE 'denied' END
	FROM rejections r LEFT JOIN tool_calls c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id
	WHERE r.agent = $agent AND r.session_id = $id
	UNION ALL
	SELECT message_index, CASE WHEN status = 'error' THEN 'error' ELSE 'skipped' END FROM tool_calls
	WHERE agent = $agent AND session_id = $id AND status IN ('error', 'skipped', 'lost')
	UNION ALL
	SELECT message_index, 'error' FROM messages WHERE agent = $agent AND session_id = $id AND kind = 'error'
	UNION ALL
	SELECT message_index, 'stop' FROM interruptions WHERE agent = $agent AND session_id = $id AND NOT paired_rejection
	UNION ALL
	SELECT after_message_index, 'compaction' FROM compactions WHERE agent = $agent AND session_id = $id
	UNION ALL
	SELECT after_message_index, 'clear' FROM clears WHERE agent = $agent AND session_id = $id
)
SELECT DISTINCT place, mark FROM marks WHERE place IS NOT NULL ORDER BY place, mark`

// Outline returns the marks of a session in the order of its messages, for a strip that
// shows the whole session at once.
func Outline(ctx context.Context, run Run, agent, id string) (marks []Mark, err error) {
	set, err := run(ctx, outlineSQL, map[string]any{"agent": agent, "id": id})
	for _, row := range set.Rows {
		at := numberOr(row[0], -1)
		if len(marks) == 0 || marks[len(marks)-1].Index != at {
			marks = append(marks, Mark{Index: at})
		}
		last := &marks[len(marks)-1]
		last.Kinds = append(last.Kinds, MarkKind(text(row[1])))
	}
	return marks, err
}

// FindIn returns the messages of a session that contain a text, in any case. FindIn
// searches messages, thinking, inputs and outputs of calls, reasons of refusals, output
// that a stop cut off, and summaries of compactions. A match in a call counts for the
// message that makes the call.
func FindIn(ctx context.Context, run Run, agent, id, sought string) (messages []int64, err error) {
	if sought == "" {
		return nil, nil
	}
	plain, input := quotedPattern(regexp.QuoteMeta(sought)), quotedPattern(inJSON(sought))
	const of = " WHERE agent = $agent AND session_id = $id AND "
	has := func(column, pattern string) string { return "regexp_matches(" + column + ", " + pattern + ", 'i')" }
	set, err := run(ctx, `WITH found AS (
	SELECT message_index AS place FROM messages`+of+"("+has("text", plain)+" OR "+has("thinking", plain)+`)
	UNION ALL SELECT message_index FROM tool_calls`+of+"("+has("CAST(input AS VARCHAR)", input)+" OR "+has("output", plain)+`)
	UNION ALL SELECT coalesce(c.message_index, r.message_index) FROM (FROM rejections`+of+has("reason", plain)+`) r
	LEFT JOIN tool_calls c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id
	UNION ALL SELECT message_index FROM interruptions`+of+has("partial_output", plain)+`
	UNION ALL SELECT after_message_index FROM compactions`+of+has("summary", plain)+`
) SELECT DISTINCT place FROM found WHERE place IS NOT NULL ORDER BY place`, map[string]any{"agent": agent, "id": id})
	for _, row := range set.Rows {
		messages = append(messages, numberOr(row[0], -1))
	}
	return messages, err
}

// quotedPattern returns a regular expression as an SQL literal. NUL is escaped, because
// SQL texts can't contain NUL.
func quotedPattern(expression string) string {
	return sqltext.Literal(strings.ReplaceAll(expression, "\x00", `\x00`))
}

// escapes maps characters to their short escapes in JSON.
var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

// inJSON returns a regular expression that finds a text in JSON. Agents write some
// characters plain or escaped: < as \u003c, / as \/, é as \u00e9.
func inJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch escape, ok := escapes[r]; {
		case ok:
			b.WriteString(regexp.QuoteMeta(escape))
		case r == '/':
			b.WriteString(`\\?/`)
		case strings.ContainsRune("<>&'", r), r >= utf8.RuneSelf, r < ' ':
			b.WriteString("(?:" + regexp.QuoteMeta(string(r)) + "|" + codeOf(r) + ")")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// codeOf returns a regular expression for a character's \u escape: two escapes beyond
// U+FFFF.
func codeOf(r rune) string {
	return lists.Join(utf16.Encode([]rune{r}), "", func(unit uint16) string { return fmt.Sprintf(`\\u%04x`, unit) })
}
