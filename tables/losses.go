package tables

import "strings"

// LossText begins the text of the problem of a log that got shorter, see lost_rows.
const LossText = "got shorter, and lost "

// TrimmedPart is the part in sources of the lines that a history lost at its beginning.
const TrimmedPart = "trimmed lines"

var lostRows = &Table{
	Name:     "lost_rows",
	Doc:      "One row per prompt, refusal or stop that the store had of a log before the log got shorter, and that no log has any more.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"what", "VARCHAR", "prompt, refusal or stop"},
		{"key", "VARCHAR", "identity of the row in every log with a copy"},
		{"source_id", "BIGINT", "the log file, see sources"},
	},
}

// LosableSQL returns the query of all rows that a log can lose, in the columns of
// lost_rows. The schema is the tables'.
func LosableSQL(schema string) string {
	return strings.ReplaceAll(`SELECT 'prompt' AS what, if(length(uuid) >= 16, uuid, epoch_us(timestamp) || ' ' || coalesce(uuid, md5(text), '')) AS key, source_id FROM {schema}.messages WHERE kind = 'prompt'
UNION ALL SELECT 'prompt', epoch_us(timestamp) || ' ' || coalesce(session_id, ''), source_id FROM {schema}.prompts
UNION ALL SELECT 'refusal', epoch_us(timestamp) || ' ' || tool_use_id, source_id FROM {schema}.rejections WHERE NOT is_inferred
UNION ALL SELECT 'stop', epoch_us(timestamp) || ' ' || type, source_id FROM {schema}.interruptions WHERE NOT is_inferred`, "{schema}", schema)
}

// LossesSQL returns the statements that drop from lost_rows what a log has again, and
// logs that are gone, and make the problems anew.
func LossesSQL() string {
	return `CREATE OR REPLACE TEMP TABLE losing AS SELECT DISTINCT source_id FROM lost_rows;
DELETE FROM lost_rows WHERE key IS NULL OR source_id NOT IN (SELECT source_id FROM sources WHERE gone_at IS NULL) OR (what, key) IN (SELECT (what, key) FROM (` + LosableSQL(Schema) + `));
DELETE FROM problems WHERE source_id IN (FROM losing) AND starts_with(what, '` + LossText + `');
INSERT INTO problems BY NAME
SELECT s.agent, s.path, s.machine, s."user", s.host, '` + LossText + `' || string_agg(n || ' ' || l.what || if(n = 1, '', 's'), ', ' ORDER BY l.what) AS what, 0 AS byte_offset, source_id
FROM (SELECT source_id, what, count(DISTINCT key) AS n FROM lost_rows GROUP BY ALL) l JOIN sources s USING (source_id) GROUP BY ALL;
UPDATE sources s SET problems = (SELECT count(*) FROM problems p WHERE p.source_id = s.source_id) WHERE source_id IN (FROM losing)`
}
