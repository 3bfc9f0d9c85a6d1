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
	fewKinds     = 1  // unknown kinds of record that show a change of an agent
	fewFields    = 3  // unknown fields that do
	recentDays   = 14 // age of logs that show a change without a version
	versionLines = 8  // versions of an agent with a line each
	namesShown   = 3  // kinds, or fields, named in a line
)

// unknown is an unknown kind of record, or an unknown field of a known kind.
type unknown struct{ agent, version, kind, field string }

// change is what an agent's logs have that this build doesn't know: logs of a version,
// or recent logs without a version to compare.
type change struct {
	agent   *readers.Reader
	version string // empty for logs without a version to compare
	oldest  string // lowest version, if the change sums up several; otherwise empty
	logs    int64
	kinds   []string
	fields  []string
}

// lookAtChanges reports versions of agents newer than the tested ones. It also reports
// agents with recent logs that name no version to compare, and have unknown kinds of
// record or fields.
func lookAtChanges(ctx context.Context, v *term.View, list []*readers.Reader) (found []Finding, err error) {
	newer, err := newerVersions(ctx, v, list)
	if err != nil {
		return nil, err
	}
	nameless, err := namelessChanges(ctx, v, list)
	if err != nil {
		return nil, err
	}
	told := 0
	for _, r := range list {
		for _, c := range slices.Concat(newer[r.Agent], nameless[r.Agent]) {
			told += len(c.kinds) + len(c.fields)
			found = append(found, c.finding(v.Words[ask.SeeQuality]))
		}
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
	switch {
	case c.version == "":
		f.What = fmt.Sprintf("%s of the last %d days, without a version to compare, have %s", logs, recentDays, list)
		if c.logs == 1 {
			f.What = strings.Replace(f.What, " have ", " has ", 1)
		}
		return f
	case c.oldest != "":
		f.What = fmt.Sprintf("%s to %s are newer", c.oldest, c.version)
	default:
		f.What = c.version + " is newer"
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

// add notes an unknown kind or field once.
func (c *change) add(u unknown) {
	list, name := &c.kinds, u.kind
	if u.field != "" {
		list, name = &c.fields, u.kind+": "+u.field
	}
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// newerVersions returns a change for each version above the newest tested one, by agent,
// newest first. The oldest of many versions are summed up.
func newerVersions(ctx context.Context, v *term.View, list []*readers.Reader) (map[string][]*change, error) {
	changes := map[string][]*change{}
	counted, err := v.Collect(ctx, inStore(`SELECT agent, field, count(DISTINCT path)
		FROM (SELECT source_id, field FROM {schema}.file_fields WHERE kind = '(version)') JOIN sources USING (source_id) GROUP BY ALL`), nil)
	if err != nil {
		return nil, err
	}
	for _, row := range counted.Rows {
		agent, _ := row[0].(string)
		version, _ := row[1].(string)
		logs, _ := row[2].(int64)
		i := slices.IndexFunc(list, func(r *readers.Reader) bool { return r.Agent == agent })
		// The rows are of the build that read the log, which may have been tested with less.
		if i >= 0 && list[i].Tested != "" && readers.CompareVersions(version, list[i].Tested) > 0 {
			changes[agent] = append(changes[agent], &change{agent: list[i], version: version, logs: logs})
		}
	}
	met, err := unknownsOf(ctx, v, `SELECT agent, version, kind, field FROM met
		JOIN (SELECT source_id, field AS version FROM {schema}.file_fields WHERE kind = '(version)') USING (source_id)
		WHERE first_version IS NULL OR version IN (first_version, last_version)`, nil)
	if err != nil {
		return nil, err
	}
	for agent, of := range changes {
		slices.SortFunc(of, func(a, b *change) int {
			return cmp.Or(readers.CompareVersions(b.version, a.version), strings.Compare(b.version, a.version))
		})
		for _, u := range met {
			if i := slices.IndexFunc(of, func(c *change) bool { return u.agent == agent && u.version == c.version }); i >= 0 {
				of[i].add(u)
			}
		}
		changes[agent] = summedUp(of)
	}
	return changes, nil
}

// summedUp joins the oldest of many versions into one change.
func summedUp(of []*change) []*change {
	if len(of) <= versionLines {
		return of
	}
	rest := of[versionLines-1:]
	sum := &change{agent: rest[0].agent, version: rest[0].version, oldest: rest[len(rest)-1].version}
	for _, c := range rest {
		sum.logs += c.logs
		for _, kind := range c.kinds {
			sum.add(unknown{kind: kind})
		}
		sum.fields = append(sum.fields, c.fields...)
	}
	slices.Sort(sum.fields)
	sum.fields = slices.Compact(sum.fields)
	return append(of[:versionLines-1:versionLines-1], sum)
}

// namelessChanges returns a change for each agent whose recent logs name no version to
// compare, and have a few unknown kinds or fields.
func namelessChanges(ctx context.Context, v *term.View, list []*readers.Reader) (map[string][]*change, error) {
	var compared []string
	for _, r := range list {
		if r.Tested != "" {
			compared = append(compared, r.Agent)
		}
	}
	// A part of a log has no time of its own: its records' time counts.
	recent := fmt.Sprintf(`SELECT source_id, path FROM sources s
		WHERE gone_at IS NULL AND coalesce(modified_at, (SELECT max(last_seen) FROM {schema}.file_kinds k WHERE k.source_id = s.source_id)) > now() - INTERVAL %d DAY
		AND (NOT list_contains(string_split($compared, ','), agent)
			OR NOT EXISTS (FROM {schema}.file_kinds k WHERE k.source_id = s.source_id AND k.last_version IS NOT NULL))`, recentDays)
	args := map[string]any{"compared": strings.Join(compared, ",")}
	met, err := unknownsOf(ctx, v, "SELECT agent, NULL, kind, field FROM met SEMI JOIN ("+recent+") USING (source_id)", args)
	if err != nil {
		return nil, err
	}
	changes := map[string][]*change{}
	for _, u := range met {
		if changes[u.agent] == nil {
			i := slices.IndexFunc(list, func(r *readers.Reader) bool { return r.Agent == u.agent })
			if i < 0 {
				continue
			}
			changes[u.agent] = []*change{{agent: list[i]}}
		}
		changes[u.agent][0].add(u)
	}
	counted, err := v.Collect(ctx, inStore(allMet+"SELECT agent, count(DISTINCT path) FROM met JOIN ("+recent+") USING (source_id) GROUP BY agent"), args)
	if err != nil {
		return nil, err
	}
	for _, row := range counted.Rows {
		agent, _ := row[0].(string)
		if of := changes[agent]; of != nil {
			of[0].logs, _ = row[1].(int64)
			if len(of[0].kinds) < fewKinds && len(of[0].fields) < fewFields {
				delete(changes, agent)
			}
		}
	}
	return changes, nil
}

// inStore puts the schema of the store's own tables into a query. The tables that users
// see don't say which log an unknown thing is in.
func inStore(sql string) string { return strings.ReplaceAll(sql, "{schema}", engine.StoreSchema) }

// allMet begins a query on the unknown kinds and fields of each log.
const allMet = `WITH met AS (
	SELECT agent, source_id, kind, NULL AS field, lines, first_version, last_version FROM {schema}.file_kinds WHERE NOT known
	UNION ALL SELECT agent, source_id, kind, field, lines, first_version, NULL FROM {schema}.file_fields WHERE kind <> '(version)') `

// unknownsOf returns the unknown kinds and fields that a query on met selects, the most
// frequent first.
func unknownsOf(ctx context.Context, v *term.View, query string, args map[string]any) (list []unknown, err error) {
	set, err := v.Collect(ctx, inStore(allMet+query+" GROUP BY ALL ORDER BY sum(lines) DESC, kind, field"), args)
	if err != nil {
		return nil, err
	}
	for _, row := range set.Rows {
		var u unknown
		for i, into := range []*string{&u.agent, &u.version, &u.kind, &u.field} {
			*into, _ = row[i].(string)
		}
		list = append(list, u)
	}
	return list, nil
}
