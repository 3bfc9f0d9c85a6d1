package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/words"
	"hindsql/readers"
)

const (
	fewKinds   = 1  // unknown kinds of record that show a change of an agent
	fewFields  = 3  // unknown fields that show a change of an agent
	recentDays = 14 // age of logs that show a change without a version
	namesShown = 3  // kinds, or fields, named in a line
)

// change is what an agent's logs have that this build doesn't know: logs of newer
// versions, or recent logs without a version to compare.
type change struct {
	agent  *readers.Reader
	newer  []string // versions newer than the tested ones, lowest first; nil for logs without a version to compare
	logs   int64
	kinds  []string
	fields []string
}

// lookAtChanges reports agents with logs of versions newer than the tested ones. It also
// reports agents with recent logs that name no version to compare, and have unknown
// kinds of record or fields.
func lookAtChanges(ctx context.Context, v *term.View, list []*readers.Reader) (found []Finding, err error) {
	newer, err := newerVersions(ctx, v, list)
	if err != nil {
		return nil, err
	}
	changes, err := changesOf(ctx, v, list, newer)
	if err != nil {
		return nil, err
	}
	told := 0
	for _, c := range changes {
		told += len(c.kinds) + len(c.fields)
		found = append(found, c.finding(v.Words[ask.SeeQuality]))
	}
	if told > 0 {
		return found, nil
	}
	set, err := v.Collect(ctx, "SELECT (SELECT count(*) FROM record_kinds WHERE NOT known), (SELECT count(*) FROM record_fields WHERE kind <> '(version)')", nil)
	if err != nil {
		return nil, err
	}
	kinds, _ := set.Rows[0][0].(int64)
	fields, _ := set.Rows[0][1].(int64)
	switch {
	case kinds+fields > 0:
		what := strings.TrimPrefix(quantity(kinds, kindNoun, ofRecord)+quantity(fields, fieldNoun, ""), joint)
		what += ", in logs of tested versions, in older logs, or too few to show that an agent has changed"
		found = append(found, Finding{OK, "records", what, v.Words[ask.SeeQuality] + " lists them"})
	case found == nil:
		found = []Finding{{OK, "records", "all kinds, fields and versions are known", ""}}
	}
	return found, nil
}

// finding describes the change, with advice.
func (c *change) finding(quality string) Finding {
	const newer = "look for a newer hindsql"
	list := c.unknowns()
	f := Finding{Look, c.agent.Agent, "", newer + ", which may know them; this one counts them and leaves them out. " + quality + " agent=" + c.agent.Agent + " lists them"}
	logs := words.Quantity(c.logs, "log")
	switch last := len(c.newer) - 1; last {
	case -1:
		f.What = fmt.Sprintf("%s of the last %d days, without a version to compare, have %s", logs, recentDays, list)
		if c.logs == 1 {
			f.What = strings.Replace(f.What, " have ", " has ", 1)
		}
		return f
	case 0:
		f.What = c.newer[0] + " is newer"
	default:
		f.What = fmt.Sprintf("%s to %s are newer", c.newer[0], c.newer[last])
	}
	f.What += fmt.Sprintf(" than %s, the newest tested version; %s", c.agent.Tested, logs)
	if list == "" {
		f.What += " with known records and fields only"
		f.Do = newer + "; its rows count, but a known record may mean something else now"
	} else {
		f.What += " with " + list
	}
	return f
}

// unknowns names the first unknown kinds and fields, and counts all of them.
func (c *change) unknowns() string {
	named := func(names []string) string {
		text := " (" + strings.Join(names[:min(len(names), namesShown)], ", ")
		if more := len(names) - namesShown; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return text + ")"
	}
	text := quantity(int64(len(c.kinds)), kindNoun, ofRecord+named(c.kinds)) + quantity(int64(len(c.fields)), fieldNoun, named(c.fields))
	return strings.TrimPrefix(text, joint)
}

const joint, kindNoun, ofRecord, fieldNoun = " and ", "unknown kind", " of record", "unknown field"

// quantity counts things between a joint and a tail; empty for none.
func quantity(n int64, noun, tail string) string {
	if n == 0 {
		return ""
	}
	return joint + words.Quantity(n, noun) + tail
}

// newerVersions returns the versions in each agent's logs that are above the newest
// tested one, lowest first.
func newerVersions(ctx context.Context, v *term.View, list []*readers.Reader) (map[string][]string, error) {
	set, err := v.Collect(ctx, inStore(`SELECT DISTINCT agent, field FROM {schema}.file_fields WHERE kind = '(version)'`), nil)
	if err != nil {
		return nil, err
	}
	newer := map[string][]string{}
	for _, row := range set.Rows {
		agent, _ := row[0].(string)
		version, _ := row[1].(string)
		i := slices.IndexFunc(list, func(r *readers.Reader) bool { return r.Agent == agent })
		// The rows are of the build that read the log, which may have been tested with less.
		if i >= 0 && list[i].Tested != "" && readers.CompareVersions(version, list[i].Tested) > 0 {
			newer[agent] = append(newer[agent], version)
		}
	}
	for _, versions := range newer {
		slices.SortFunc(versions, func(a, b string) int { return cmp.Or(readers.CompareVersions(a, b), strings.Compare(a, b)) })
	}
	return newer, nil
}

// changesOf returns the changes in the order of the agents. newer has the newer versions
// by agent.
func changesOf(ctx context.Context, v *term.View, list []*readers.Reader, newer map[string][]string) (changes []*change, err error) {
	var compared, above []string
	for _, r := range list {
		if r.Tested != "" {
			compared = append(compared, r.Agent)
		}
		for _, version := range newer[r.Agent] {
			above = append(above, r.Agent+" "+version)
		}
	}
	set, err := v.Collect(ctx, inStore(unknownThings), map[string]any{
		"compared": strings.Join(compared, "\n"), "above": strings.Join(above, "\n"), "days": recentDays})
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		named, nameless := &change{agent: r, newer: newer[r.Agent]}, &change{agent: r}
		for _, row := range set.Rows {
			switch {
			case row[0] != r.Agent:
			case row[1] == true:
				named.add(row[2:])
			default:
				nameless.add(row[2:])
			}
		}
		if named.logs > 0 {
			changes = append(changes, named)
		}
		if len(nameless.kinds) >= fewKinds || len(nameless.fields) >= fewFields {
			changes = append(changes, nameless)
		}
	}
	return changes, nil
}

// add notes a row of unknownThings: a kind, a field of the kind, and a number of logs.
func (c *change) add(row []any) {
	kind, _ := row[0].(string)
	field, _ := row[1].(string)
	switch {
	case field != "":
		c.fields = append(c.fields, kind+": "+field)
	case kind != "":
		c.kinds = append(c.kinds, kind)
	default:
		logs, _ := row[2].(int64)
		c.logs = max(c.logs, logs) // logs without an unknown thing have a row, too
	}
}

// unknownThings counts the logs that may show a change, by agent: all of them in a row
// without a kind, and those with each unknown kind of record or field. A part of a log
// has no time of its own: its records' time counts.
const unknownThings = `WITH met AS (
	SELECT source_id, kind, NULL AS field, lines, first_version, last_version FROM {schema}.file_kinds WHERE NOT known
	UNION ALL SELECT source_id, kind, field, lines, first_version, NULL FROM {schema}.file_fields WHERE kind <> '(version)'),
logs AS (
	SELECT agent, source_id, path, version FROM (SELECT source_id, field AS version FROM {schema}.file_fields WHERE kind = '(version)') JOIN sources USING (source_id)
	WHERE list_contains(string_split($above, chr(10)), agent || ' ' || version)
	UNION ALL SELECT agent, source_id, path, NULL FROM sources s
	WHERE gone_at IS NULL AND coalesce(modified_at, (SELECT max(last_seen) FROM {schema}.file_kinds k WHERE k.source_id = s.source_id)) > now() - to_days($days::INTEGER)
		AND (NOT list_contains(string_split($compared, chr(10)), agent)
			OR NOT EXISTS (FROM {schema}.file_kinds k WHERE k.source_id = s.source_id AND k.last_version IS NOT NULL)))
SELECT agent, version IS NOT NULL AS newer, kind, field, count(DISTINCT path)
FROM logs LEFT JOIN met ON logs.source_id = met.source_id AND (version IS NULL OR first_version IS NULL OR version IN (first_version, last_version))
WHERE version IS NOT NULL OR kind IS NOT NULL
GROUP BY GROUPING SETS ((agent, newer), (agent, newer, kind, field))
ORDER BY sum(lines) DESC, kind, field`

// inStore puts the schema of the store's own tables into a query. The tables that users
// see don't say which log an unknown thing is in.
func inStore(sql string) string { return strings.ReplaceAll(sql, "{schema}", engine.StoreSchema) }
