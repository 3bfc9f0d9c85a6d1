package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hindsql/engine"
	"hindsql/internal/sqltext"
	"hindsql/readers"
)

// LeftOut counts logs whose lines weren't exported, with the reason.
type LeftOut struct {
	Why  string
	Logs int64
}

// rawLog is a log to export.
type rawLog struct {
	file, agent, path string
	goesOn            bool // the log continues the session of another log
}

// rawLogs exports the logs of the wanted sessions.
type rawLogs struct {
	*engine.Reading
	open   func(agent, path string) (io.ReadCloser, error)
	redact Redactor // nil to keep lines unchanged
	alone  bool     // write a single log to a file, instead of each log to its own file in a folder
	sql    string   // query of the logs, see logsOf
	left   []LeftOut
}

// fileOfSession returns the SQL of a session's file name, valid on any disk and in
// every URL. An id that can't be a name, or contains a secret, gets a hash to keep the
// name unique.
func (o *Options) fileOfSession() string {
	id := "session_id"
	if o.Redact != nil {
		id = engine.Redacted(id, "VARCHAR")
	}
	return strings.ReplaceAll(`CASE WHEN regexp_full_match({id}, '[A-Za-z0-9_-][A-Za-z0-9._-]{0,159}') THEN {id}
	ELSE left(regexp_replace({id}, '[^A-Za-z0-9_-]+', '_', 'g'), 100) || '-' || left(md5(session_id), 8) END`, "{id}", id)
}

// sessionsOfLogs is the SQL of each log's session, and of the log's position among the
// session's logs. A log that continues a session has no session in table sessions.
const sessionsOfLogs = `SELECT *, row_number() OVER (PARTITION BY agent, session_id ORDER BY goes_on, path) AS nth FROM (
		SELECT source_id, arg_min(session_id, (CASE WHEN parent_session_id IS NULL THEN 0 ELSE 1 END, session_id)) AS session_id, false AS goes_on FROM {schema}.sessions GROUP BY source_id
		UNION ALL SELECT source_id, min(session_id), true FROM {schema}.messages SEMI JOIN {schema}.part_sessions USING (source_id) ANTI JOIN {schema}.sessions USING (source_id) GROUP BY source_id)
	JOIN (SELECT source_id, agent, path FROM {schema}.sources) USING (source_id)`

// whyNotRaw is the SQL of the reason for not exporting a log, null if the log is
// exported. A part of a file has no lines of its own, and neither has a database. A log
// with copies of a forgotten session has them line by line.
const whyNotRaw = `CASE WHEN f.machine IS DISTINCT FROM %s THEN 'on other machines' WHEN f.part IS NOT NULL THEN 'in databases, or side by side in one file'
	WHEN f.source_id IN (SELECT source_id FROM %s.forgotten_logs) THEN 'with lines of forgotten sessions'
	WHEN NOT regexp_full_match(lower(f.path), '.*\.(json|jsonl|jsonl\.zst)') THEN 'in other forms than JSON' END`

// logsOf returns the SQL of the wanted sessions' logs: file, agent, path, goes_on,
// columns that reveal changes, and why_not.
//
// A log's file is named after its session: the log's own name and folder would reveal the
// machine and project. A log with subagents has the name of the parent session.
// Continuations of a session in other logs have numbers.
func logsOf(e *exporting) string {
	file := "f.agent || '/' || " + e.fileOfSession() + " || CASE WHEN nth > 1 THEN '.' || nth ELSE '' END || CASE WHEN lower(f.path) LIKE '%.json' THEN '.json' ELSE '.jsonl' END"
	return fmt.Sprintf(`SELECT %s AS file, f.agent, f.path, goes_on, f.size, f.modified_at, %s AS why_not
		FROM %[3]s.sources AS f
		JOIN (SELECT source_id, session_id, goes_on, nth FROM (%[4]s)) AS s USING (source_id)
		WHERE source_id IN (SELECT source_id FROM (%[5]s)) OR goes_on AND (f.agent, session_id) IN (SELECT (agent, session_id) FROM (%[5]s))`, file,
		fmt.Sprintf(whyNotRaw, sqltext.Literal(e.machine), engine.StoreSchema), engine.StoreSchema, strings.ReplaceAll(sessionsOfLogs, "{schema}", engine.StoreSchema), e.unifiedSessions())
}

// rawItem exports the lines of logs, one file for each log.
func rawItem(ctx context.Context, e *exporting) (*item, error) {
	logs := &rawLogs{Reading: e.reading, open: e.open, redact: e.Redact, alone: e.Dir == Stdout, sql: logsOf(e)}
	if err := logs.countLeftOut(ctx); err != nil {
		return nil, err
	}
	it := &item{name: "raw", options: e.record("UTC"), rows: "SELECT file, agent, path, goes_on, size, modified_at FROM (" + logs.sql + ") WHERE why_not IS NULL", left: logs.left}
	if !logs.alone {
		it.each = "file"
	}
	it.copy = func(ctx context.Context, target, where string) error {
		err := logs.copy(ctx, "SELECT file, agent, path, goes_on FROM ("+it.rows+")"+where+" ORDER BY file", target)
		it.left = logs.left
		return err
	}
	return it, nil
}

// copy writes the lines of the logs that a query chooses.
func (r *rawLogs) copy(ctx context.Context, query, target string) error {
	chosen, err := r.readLogs(ctx, query)
	if err != nil {
		return err
	}
	if r.alone && len(chosen) != 1 {
		return severalLogsError(chosen)
	}
	for _, l := range chosen {
		place := target
		if !r.alone {
			place = filepath.Join(target, filepath.FromSlash(l.file))
		}
		if err := r.copyLog(ctx, l, place); err != nil {
			return err
		}
	}
	return nil
}

// severalLogsError returns the error for several logs on standard output.
func severalLogsError(logs []rawLog) error {
	sessions := 0
	for _, l := range logs {
		if !l.goesOn {
			sessions++
		}
	}
	if sessions == 1 {
		return fmt.Errorf("standard output: takes one log, and the session has %d; give a folder", len(logs))
	}
	return fmt.Errorf("standard output: takes the lines of one session, and here are %d; choose it with --session, or give a folder", sessions)
}

// countLeftOut counts the wanted logs that are not exported.
func (r *rawLogs) countLeftOut(ctx context.Context) error {
	query := "SELECT why_not, count(*) FROM (" + r.sql + ") WHERE why_not IS NOT NULL GROUP BY ALL ORDER BY ALL"
	return r.Each(ctx, query, func(scan func(...any) error) error {
		var l LeftOut
		err := scan(&l.Why, &l.Logs)
		r.left = append(r.left, l)
		return err
	})
}

func (r *rawLogs) readLogs(ctx context.Context, query string) (list []rawLog, err error) {
	err = r.Each(ctx, query, func(scan func(...any) error) error {
		var l rawLog
		err := scan(&l.file, &l.agent, &l.path, &l.goesOn)
		list = append(list, l)
		return err
	})
	return list, err
}

// copyLog writes a log's lines to a file. A deleted or unreadable log is left out and
// counted.
func (r *rawLogs) copyLog(ctx context.Context, l rawLog, place string) error {
	log, err := r.open(l.agent, l.path)
	if err != nil {
		why := "that can't be read"
		if errors.Is(err, fs.ErrNotExist) {
			why = "gone from disk"
		}
		if r.alone {
			return err
		}
		r.left = addLeftOut(r.left, why)
		return nil
	}
	defer log.Close()
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return err
	}
	err = writeFile(place, func(w *bufio.Writer) error {
		if path.Ext(l.file) == ".json" {
			return copyDocument(log, w, r.redact)
		}
		return copyLines(ctx, log, w, r.redact)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	return nil
}

func addLeftOut(list []LeftOut, why string) []LeftOut {
	for i := range list {
		if list[i].Why == why {
			list[i].Logs++
			return list
		}
	}
	return append(list, LeftOut{why, 1})
}

// copyLines writes each line, redacted if the export redacts. It leaves out an
// unfinished last line.
func copyLines(ctx context.Context, log io.Reader, w *bufio.Writer, redact Redactor) error {
	for line, err := range readers.Lines(log) {
		isJSON := json.Valid(line.Bytes)
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case line.Length > 0:
			return fmt.Errorf("line %d has %d bytes, too long to be read", line.Number, line.Length)
		case !line.Whole && !isJSON:
			return nil
		}
		if _, err := w.WriteString(redactWith(redact, string(line.Bytes), isJSON)); err != nil {
			return err
		}
		if err := w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// copyDocument writes a log in the form of one JSON document.
func copyDocument(log io.Reader, w *bufio.Writer, redact Redactor) error {
	text, err := io.ReadAll(io.LimitReader(log, largestDocument+1))
	if err == nil && len(text) > largestDocument {
		err = fmt.Errorf("larger than %d bytes, too long to be read", largestDocument)
	}
	if err == nil {
		_, err = w.WriteString(redactWith(redact, string(text), json.Valid(text)))
	}
	return err
}

// largestDocument is the largest document that readers accept, in bytes.
const largestDocument = 512 << 20
