package attacks

func names() [][2]string {
	return [][2]string{
		{"settings, where a recursion begins", "WITH RECURSIVE pg_settings AS (SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in the recursion's own WITH", "WITH RECURSIVE pg_settings AS (WITH b AS (SELECT name, setting FROM pg_settings) FROM b UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in a subquery", "WITH RECURSIVE pg_settings AS (SELECT name, (SELECT max(setting) FROM pg_settings p WHERE p.name = s.name) AS setting FROM (SELECT name FROM pg_settings) s UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in a lateral join", "WITH RECURSIVE pg_settings AS (SELECT s.name, s.setting FROM range(1) r, LATERAL (SELECT name, setting FROM pg_settings WHERE r.range = 0) s UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, in one of two that begin it", "WITH RECURSIVE pg_settings AS (SELECT 'a' AS name, 'b' AS setting UNION SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, materialized", "WITH RECURSIVE pg_settings AS MATERIALIZED (SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, by a key", "WITH RECURSIVE pg_settings(name, setting) USING KEY (name) AS (SELECT name, setting FROM pg_settings UNION ALL SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, summarized", "WITH RECURSIVE pg_settings AS (SELECT column_name, max FROM (SUMMARIZE pg_settings) UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, pivoted", "WITH RECURSIVE pg_settings AS (SELECT name, string_agg(setting) AS setting FROM (UNPIVOT (SELECT name, setting FROM pg_settings) ON setting) AS u(name, k, setting) GROUP BY name UNION SELECT 'a', 'b' WHERE false) FROM pg_settings"},
		{"settings, two recursions deep", "WITH RECURSIVE a AS (WITH RECURSIVE pg_settings AS (SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) SELECT name, setting FROM pg_settings UNION SELECT 'a', 'b' WHERE false) FROM a"},
		{"settings, in capitals", "WITH RECURSIVE PG_Settings AS (SELECT name, setting FROM pg_SETTINGS UNION SELECT 'a', 'b' WHERE false) FROM PG_SETTINGS"},
		{"settings, by a letter that isn't ASCII", `WITH "pg_settİngs" AS (SELECT 1) SELECT name, setting FROM pg_settings`},
		{"settings, by that letter in a recursion", `WITH RECURSIVE "pg_settİngs" AS (SELECT 1 AS i UNION SELECT i + 1 FROM "pg_settİngs" WHERE i < 2) SELECT name, setting FROM "pg_settings", "pg_settİngs"`},
		{"databases", "WITH RECURSIVE duckdb_databases AS (SELECT database_name, path FROM duckdb_databases UNION SELECT 'a', 'b' WHERE false) FROM duckdb_databases"},
		{"databases, by PRAGMA's name", "WITH RECURSIVE pragma_database_list AS (SELECT name, file FROM pragma_database_list UNION SELECT 'a', 'b' WHERE false) FROM pragma_database_list"},
		{"the inner tables", "WITH RECURSIVE sqlite_master AS (SELECT name, sql FROM sqlite_master UNION SELECT 'a', 'b' WHERE false) FROM sqlite_master"},
		{"logs", "WITH RECURSIVE duckdb_logs AS (SELECT message, type FROM duckdb_logs UNION SELECT 'a', 'b' WHERE false) FROM duckdb_logs"},
		{"constraints", "WITH RECURSIVE pg_constraint AS (SELECT conname, contype FROM pg_constraint UNION SELECT 'a', 'b' WHERE false) FROM pg_constraint"},
		{"classes", `WITH "pg_attrİbute" AS (SELECT 1) SELECT attname FROM pg_attribute`},
		{"a file, where a recursion begins", `WITH RECURSIVE "/etc/passwd.csv" AS (FROM "/etc/passwd.csv" UNION SELECT 'a' WHERE false) FROM "/etc/passwd.csv"`},
		{"a file, with all rows so far", `WITH "/etc/passwd.csv" AS (SELECT 1) FROM recurring."/etc/passwd.csv"`},
		{"a file, by a letter that isn't ASCII", `WITH "/etc/İ.csv" AS (SELECT 1) FROM "/etc/i.csv"`},
	}
}
