package term

import (
	"context"
	"fmt"
	"os"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Sources lists the folders searched for logs, then the found agents whose logs aren't
// read. For people it also sums up the loaded rows.
func (v *View) Sources(ctx context.Context, to *Output) error {
	list := result.Set{Columns: result.Columns("agent VARCHAR", "folder VARCHAR", "named_by VARCHAR", "found BOOLEAN", "files BIGINT", "bytes BIGINT")}
	newest := map[string]int64{}
	for _, p := range v.Places() {
		newest[p.Agent] = int64(p.ReaderVersion)
		list.Rows = append(list.Rows, []any{p.Agent, v.short(p.Path), p.From, p.Exists, int64(p.Files), p.Bytes})
	}
	others := v.Session.Store().Others()
	if !to.ForPeople() {
		return to.Set(withOthers(list, others, v.short))
	}
	if err := to.Set(list); err != nil {
		return err
	}
	for _, o := range others {
		if _, err := fmt.Fprintln(to, otherLine(o, v.short, to.Width)); err != nil {
			return err
		}
	}
	line, err := v.loadedLine(ctx, newest)
	if err == nil {
		_, err = fmt.Fprintln(to, line)
	}
	return err
}

// withOthers appends a column that says why an agent's logs aren't read, and a row for
// each folder of such an agent.
func withOthers(list result.Set, others []engine.OtherReport, short func(path string) string) result.Set {
	list.Columns = append(list.Columns, result.Columns("not_read VARCHAR")...)
	for i, row := range list.Rows {
		list.Rows[i] = append(row, nil)
	}
	for _, o := range others {
		for _, path := range o.Paths {
			list.Rows = append(list.Rows, []any{o.Title, short(path), "default", true, nil, nil, o.Why})
		}
	}
	return list
}

// otherLine says in words which agent is found and not read, where, and why.
func otherLine(o engine.OtherReport, short func(path string) string, width int) string {
	var paths []string
	for _, path := range o.Paths {
		paths = append(paths, short(path))
	}
	return Wrap(fmt.Sprintf("found, not read: %s (%s): %s", o.Title, strings.Join(paths, ", "), o.Why), width, 2)
}

// Loaded counts the loaded logs.
type Loaded struct {
	Files, Gone int64 // loaded files, and how many of them no longer exist
	Bytes       int64 // of the files
	Messages    int64
	Problems    int64
}

// Loaded counts the loaded logs.
func (v *View) Loaded(ctx context.Context) (n Loaded, err error) {
	const totals = `SELECT count(*), count(gone_at), coalesce(sum(size), 0)::BIGINT,
		coalesce(sum(messages), 0)::BIGINT, coalesce(sum(problems), 0)::BIGINT FROM sources`
	into := []*int64{&n.Files, &n.Gone, &n.Bytes, &n.Messages, &n.Problems}
	set, err := v.Session.Collect(ctx, totals, nil)
	if err != nil {
		return n, err
	}
	for i, value := range set.Rows[0] {
		*into[i], _ = value.(int64)
	}
	return n, nil
}

// loadedLine returns the loaded logs in words. newest holds the reader version of this
// build for each agent.
func (v *View) loadedLine(ctx context.Context, newest map[string]int64) (string, error) {
	n, err := v.Loaded(ctx)
	parts := []string{fmt.Sprintf("loaded: %s, %s, %s", words.Quantity(n.Files, "file"), words.Size(n.Bytes), words.Quantity(n.Messages, "message"))}
	if n.Gone > 0 {
		parts = append(parts, words.Quantity(n.Gone, "file")+" of them gone from disk")
	}
	if err == nil {
		var older int64
		if older, err = olderReaders(ctx, v.Session, newest); older > 0 {
			parts = append(parts, words.Quantity(older, "file")+" of them counted by an older reader; as they are gone, or lie elsewhere, their rows stay as it made them")
		}
	}
	if n.Problems > 0 {
		parts = append(parts, words.Quantity(n.Problems, "problem")+": "+v.Words[ask.SeeProblems])
	}
	if err == nil {
		var met string
		if met, err = newerLogs(ctx, v.Session); met != "" {
			parts = append(parts, met+": "+v.Words[ask.SeeQuality])
		}
	}
	if info, statErr := os.Stat(v.Store); statErr == nil {
		parts = append(parts, fmt.Sprintf("store: %s, %s", v.short(v.Store), words.Size(info.Size())))
	}
	return strings.Join(parts, "\n"), err
}

// newerLogs returns words for data in the logs that this build doesn't know, such as
// new fields; empty if none.
func newerLogs(ctx context.Context, in *ask.Session) (string, error) {
	const met = `SELECT (SELECT count(*) FROM record_kinds WHERE NOT known),
		(SELECT count(*) FROM record_fields WHERE kind <> '(version)'),
		(SELECT string_agg(agent || ' ' || field, ', ' ORDER BY agent, field) FROM record_fields WHERE kind = '(version)')`
	set, err := in.Collect(ctx, met, nil)
	if err != nil {
		return "", err
	}
	var parts []string
	values := set.Rows[0]
	if n, _ := values[0].(int64); n > 0 {
		parts = append(parts, words.Quantity(n, "unknown kind")+" of record")
	}
	if n, _ := values[1].(int64); n > 0 {
		parts = append(parts, words.Quantity(n, "unknown field"))
	}
	if versions, _ := values[2].(string); versions != "" {
		parts = append(parts, "newer than any tested: "+versions)
	}
	return strings.Join(parts, ", "), nil
}

// olderReaders counts logs whose rows an older build's reader made. This build can't
// load them again, because they are gone or on another machine.
func olderReaders(ctx context.Context, in *ask.Session, newest map[string]int64) (older int64, err error) {
	set, err := in.Collect(ctx, "SELECT agent, reader_version, count(*) FROM sources WHERE reader_version > 0 GROUP BY ALL", nil)
	if err != nil {
		return 0, err
	}
	for _, row := range set.Rows {
		agent, _ := row[0].(string)
		version, _ := row[1].(int64)
		if n, _ := row[2].(int64); version < newest[agent] {
			older += n
		}
	}
	return older, nil
}
