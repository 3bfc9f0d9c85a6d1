package moves

import (
	"fmt"
	"path/filepath"
	"strings"

	"hindsql/internal/sqltext"
)

// folders are the folders between which a log moved, with all that moved along.
type folders struct{ from, to string }

// foldersOf returns the paths of a log without the end that both have in common.
func foldersOf(was, now string) folders {
	for filepath.Base(was) == filepath.Base(now) && filepath.Dir(was) != was && filepath.Dir(now) != now {
		was, now = filepath.Dir(was), filepath.Dir(now)
	}
	return folders{was, now}
}

// Moved returns where a path lies after the move.
func (f folders) Moved(path string) string {
	if rest, ok := strings.CutPrefix(path, f.from); ok && (rest == "" || rest[0] == filepath.Separator) {
		return f.to + rest
	}
	return path
}

// Keeps reports whether the log's path ended before the move as it ends now, slash-separated.
func (m *Move) Keeps(end string) bool { return strings.HasSuffix(filepath.ToSlash(m.Was), "/"+end) }

// SQL returns the SQL that records the new paths of logs. Titles, projects and approvals of
// a log may stand in a shared file above it, and a log may continue another beside it: if
// such a file didn't move along, the log is linked anew.
func SQL(list []Move) string {
	var rows []string
	for _, m := range list {
		rows = append(rows, fmt.Sprintf("(%d, %s, %s, %s)", m.ID, sqltext.Literal(m.Path), sqltext.Literal(m.from), sqltext.Literal(m.to)))
	}
	return strings.NewReplacer("{rows}", strings.Join(rows, ", "), "{separator}", string(filepath.Separator)).Replace(recordMoves)
}

const recordMoves = `CREATE OR REPLACE TEMP TABLE moved_logs (source_id BIGINT, path VARCHAR, was_in VARCHAR, is_in VARCHAR);
INSERT INTO moved_logs VALUES {rows};
CREATE OR REPLACE TEMP TABLE moved_places AS
SELECT source_id, agent, machine, s.path AS was, coalesce(m.path, s.path) AS path FROM sources s LEFT JOIN moved_logs m USING (source_id);
UPDATE sources t SET path = m.path FROM moved_logs m WHERE t.source_id = m.source_id;
UPDATE problems t SET path = m.path FROM moved_logs m WHERE t.source_id = m.source_id;
UPDATE neighbours t SET path = m.is_in || substr(t.path, length(m.was_in) + 1)
FROM moved_logs m WHERE t.source_id = m.source_id AND starts_with(t.path || '{separator}', m.was_in || '{separator}');
INSERT INTO pending_links
WITH shared AS (
  SELECT *, regexp_extract(was, '^(.*[/\\])[^/\\]*$', 1) AS was_in, regexp_extract(path, '^(.*[/\\])[^/\\]*$', 1) AS is_in
  FROM moved_places SEMI JOIN (SELECT source_id FROM session_notes UNION SELECT source_id FROM project_notes UNION SELECT source_id FROM approvals) USING (source_id)),
shared_folders AS (
  SELECT source_id, agent, machine, was_in, is_in FROM shared
  UNION ALL SELECT source_id, agent, machine, regexp_extract(was_in, '^(.*[/\\])[^/\\]+[/\\]$', 1), regexp_extract(is_in, '^(.*[/\\])[^/\\]+[/\\]$', 1) FROM shared)
SELECT DISTINCT unnest([p.source_id, f.source_id])
FROM moved_places p JOIN shared_folders f ON f.agent = p.agent AND f.machine IS NOT DISTINCT FROM p.machine
WHERE starts_with(p.was, f.was_in) <> starts_with(p.path, f.is_in)
UNION SELECT source_id FROM continuations SEMI JOIN moved_logs USING (source_id)`
