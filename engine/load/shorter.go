package load

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/engine/duck"
	"hindsql/engine/rowdiff"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// A log to which its agent only appends, see [readers.Reader.Appends], may still get
// shorter.
//
// The agent trims a history of prompts: the oldest lines go. Their prompts and clears
// stay, as the rows of a deleted log do. They move to a source of their own, part
// [tables.TrimmedPart] of the history, with gone_at. A prune, a forget, a rebuild and a
// push then treat them like those of any deleted log.
//
// A program or a person cuts lines out of another log, or out of the middle of a history.
// The rows follow the log. What the log lost, and no other log has, stands in table
// lost_rows, and as a problem of the log.

// isAppended reports whether the agent only appends lines to the log, and at most trims it.
func (f *foundLog) isAppended() bool {
	return f.reader != nil && f.reader.Appends && f.log.Err == nil && f.source.Part == "" && strings.HasSuffix(f.source.Path, ".jsonl")
}

// losses keeps what logs lost.
type losses struct{ l *loader }

// trimmedID returns the id of the source of the lines that the log lost at its beginning. It
// depends on the id of the log, and not on the path.
func (f *foundLog) trimmedID() int64 {
	src := tables.Source{Agent: f.source.Agent, Machine: f.source.Machine, Path: strconv.FormatInt(f.id, 10), Part: tables.TrimmedPart}
	return src.ID()
}

// markShorter marks the logs that got shorter since the same reader read them.
func markShorter(logs []foundLog, inStore []storedLog) {
	known := byID(inStore)
	for i := range logs {
		f := &logs[i]
		l := known[f.id]
		f.shorter = l != nil && f.isAppended() && f.source.Size < l.size && f.source.Machine == l.machine && int64(f.source.ReaderVersion) == l.readerVersion
	}
}

// keep keeps what logs lost, inside a transaction, before the rows of a batch replace
// those of the logs. held lists the tables with rows of the logs.
func (k losses) keep(ctx context.Context, b *tables.Batch, logs []foundLog, held []string) error {
	if prompts := tables.Named("prompts"); slices.Contains(held, prompts.Name) {
		now := map[int64][]rowdiff.Line{}
		var err error
		if records := b.Records(prompts); len(records) > 0 {
			k.l.feeds[prompts].Queue = records
			// The first column makes the scan of the feed give all columns in order.
			now, err = k.typedLines(ctx, sqltext.Hash(tables.Names(prompts.Columns)), "memory.main.feed_prompts")
		}
		if err = cmp.Or(err, k.keepTrimmed(ctx, "store", now, logs)); err != nil {
			return err
		}
	}
	return k.keepCut(ctx, "store", logs)
}

// carry is keep for a new store, after the rows of other logs were carried over
// from the store attached as old.
func (k losses) carry(ctx context.Context, logs []foundLog) error {
	had, err := storedColumns(ctx, k.l, "old", "prompts")
	if err == nil && slices.Contains(had, "timestamp") && slices.Contains(had, "session_id") && slices.Contains(had, "text") {
		var now map[int64][]rowdiff.Line
		if now, err = k.typedLines(ctx, "rowid::UBIGINT", duck.StoreSchema+".prompts"); err == nil {
			err = k.keepTrimmed(ctx, "old", now, logs)
		}
	}
	if had, none := storedColumns(ctx, k.l, "old", "lost_rows"); err == nil && none == nil && len(had) > 0 {
		err = k.l.exec(ctx, "INSERT INTO lost_rows BY NAME FROM old."+tables.Schema+".lost_rows")
	}
	return cmp.Or(err, k.keepCut(ctx, "old", logs))
}

// keepCut adds to lost_rows all rows that a store attached as database has of the shorter
// logs. record drops the rows that are still there.
func (k losses) keepCut(ctx context.Context, database string, logs []foundLog) error {
	var shorter []int64
	for i := range logs {
		if logs[i].shorter {
			shorter = append(shorter, logs[i].id)
		}
	}
	if len(shorter) == 0 {
		return nil
	}
	return k.l.exec(ctx, fmt.Sprintf("INSERT INTO lost_rows BY NAME FROM (%s) WHERE source_id IN (%s)", tables.LosableSQL(database+"."+tables.Schema), sqltext.Numbers(shorter, "%d")))
}

// record records as problems what logs lost, after all logs were loaded.
func (k losses) record(ctx context.Context) (err error) {
	var any bool
	if err = k.l.conn.QueryRowContext(ctx, "SELECT EXISTS (FROM lost_rows)").Scan(&any); err == nil && any {
		err = k.l.exec(ctx, tables.LossesSQL())
	}
	return err
}

// typedLines returns the prompts of a table by source, in the order of the lines. A key is a
// hash of time, session and text.
func (k losses) typedLines(ctx context.Context, row, from string) (map[int64][]rowdiff.Line, error) {
	rows, err := k.l.hashRows(ctx, fmt.Sprintf(`SELECT %s, hash(timestamp, session_id, text),
		greatest(coalesce(epoch_us(timestamp), 0), 0)::UBIGINT, source_id::UBIGINT FROM %s`, row, from))
	by := map[int64][]rowdiff.Line{}
	for _, r := range rows {
		by[int64(r[3])] = append(by[int64(r[3])], rowdiff.Line{Row: r[0], Key: r[1], At: r[2]})
	}
	return by, err
}

// keepTrimmed keeps the prompts that histories lost at their beginning. A store attached as
// database still has them. now has the prompts of the histories by source.
func (k losses) keepTrimmed(ctx context.Context, database string, now map[int64][]rowdiff.Line, logs []foundLog) error {
	var histories, parts []int64
	for i := range logs {
		if logs[i].isAppended() {
			histories, parts = append(histories, logs[i].id), append(parts, logs[i].trimmedID())
		}
	}
	if len(histories) == 0 {
		return nil
	}
	const of = "%s.%s.prompts WHERE source_id IN (%s) ORDER BY rowid"
	old, err := k.typedLines(ctx, "rowid::UBIGINT", fmt.Sprintf(of, database, tables.Schema, sqltext.Numbers(histories, "%d")))
	if err != nil {
		return err
	}
	trimmed, err := k.typedLines(ctx, "rowid::UBIGINT", fmt.Sprintf(of, "store", tables.Schema, sqltext.Numbers(parts, "%d")))
	for i, id := range histories {
		had := len(trimmed[parts[i]])
		all := slices.Concat(trimmed[parts[i]], old[id])
		switch n := rowdiff.CountTrimmed(all, now[id], had); {
		case err != nil:
		case n > had:
			err = k.moveTrimmed(ctx, database, id, parts[i], all[had:n])
		case n < had:
			err = k.dropReturned(ctx, parts[i], returned(all[n:had], now[id]))
		}
	}
	return err
}

// moveTrimmed copies lines of a history in database, and their clears, to the part of the
// trimmed lines.
func (k losses) moveTrimmed(ctx context.Context, database string, history, part int64, lines []rowdiff.Line) error {
	rows, as := rowsOf(lines), fmt.Sprintf("%d::BIGINT", part)
	if _, err := k.l.prepareToReplace(ctx, fmt.Sprint(part)); err != nil {
		return err
	}
	return cmp.Or(
		carryRows(ctx, k.l, database, tables.Named("prompts"), as, "rowid IN ("+rows+")"),
		carryRows(ctx, k.l, database, tables.Named("clear_marks"), as, fmt.Sprintf(
			"source_id = %d AND evidence = '%s' AND timestamp IN (SELECT timestamp FROM %s.%s.prompts WHERE rowid IN (%s))", history, tables.EvidenceHistory, database, tables.Schema, rows)),
		k.l.exec(ctx, fmt.Sprintf(`INSERT INTO sources BY NAME SELECT agent, path, '%s' AS part, machine, "user", host, 0 AS messages, 0 AS problems, 0 AS size, loaded_at,
			%s AS gone_at, reader_version, %s AS source_id FROM sources WHERE source_id = %d AND NOT EXISTS (FROM sources WHERE source_id = %d)`,
			tables.TrimmedPart, sqltext.Timestamp(time.Now()), as, history, part)),
		k.l.links.addPending(ctx, []int64{part}))
}

// dropReturned drops trimmed lines that the history has again, and their clears.
func (k losses) dropReturned(ctx context.Context, part int64, lines []rowdiff.Line) error {
	if len(lines) == 0 {
		return nil
	}
	if _, err := k.l.prepareToReplace(ctx, fmt.Sprint(part)); err != nil {
		return err
	}
	return k.l.exec(ctx, fmt.Sprintf(`DELETE FROM prompts WHERE rowid IN (%s);
		DELETE FROM clear_marks WHERE source_id = %d AND timestamp NOT IN (SELECT timestamp FROM prompts WHERE source_id = %[2]d AND timestamp IS NOT NULL);
		%s; INSERT INTO pending_links VALUES (%[2]d)`, rowsOf(lines), part, dropEmptied))
}

// returned returns those of a history's trimmed lines that the history has again.
func returned(trimmed, now []rowdiff.Line) []rowdiff.Line {
	again := map[uint64]bool{}
	for _, line := range now {
		again[line.Key] = true
	}
	return slices.DeleteFunc(slices.Clone(trimmed), func(line rowdiff.Line) bool { return !again[line.Key] })
}

// dropEmptied drops the sources of trimmed lines without lines.
const dropEmptied = "DELETE FROM sources WHERE part = '" + tables.TrimmedPart + "' AND source_id NOT IN (SELECT source_id FROM prompts)"

func rowsOf(lines []rowdiff.Line) string {
	return sqltext.Numbers(lists.Map(lines, func(line rowdiff.Line) int64 { return int64(line.Row) }), "%d")
}
