package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/readers"
	"hindsql/tables"
)

// listing is the configuration of a store with something in each list: a log of project
// /p, an agent that isn't read, a query of the user's, a price and a report run.
func listing(t *testing.T) engine.Config {
	t.Helper()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""), line(2, ""))
	h.Sync()
	c := h.Config()
	must(t, os.Mkdir(filepath.Join(c.Host.Home, ".unread"), 0o700))
	c.Others = []*readers.UnsupportedAgent{{Title: "Unread", Why: "because", Folders: func(host readers.Host) []string { return []string{filepath.Join(host.Home, ".unread")} }}}
	c.Queries = func(own bool) [][]any {
		rows := [][]any{{"theirs", "built in", "Tokens and cost", nil}}
		if own {
			rows = append(rows, []any{"mine", "of the user", "Your own", "/home/me/mine.sql"})
		}
		return rows
	}
	c.Prices = engine.Prices{Name: "dear", Mark: "dear", Read: func() ([]tables.Price, error) {
		return []tables.Price{{Model: "m-1", Rates: tables.Rates{Input: 1e-6, Output: 2e-6}, Tiers: []tables.Tier{{Above: 1000, Rates: tables.Rates{Input: 3e-6, Output: 4e-6}}}}}, nil
	}}
	at := time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)
	must(t, schedule.Journal{Path: engine.RunsPath(c.Store)}.Add(schedule.Run{Name: "weekly", PeriodStart: at, PeriodEnd: at, StartedAt: at, FinishedAt: at, Status: schedule.OK, Output: "/home/me/week.html", Attempt: 1}))
	return c
}

// TestListsAreMadeWhenAsked: the rows of a list are those of the moment in which a
// statement asks, for the user's SQL and in a sandbox, whatever else has the list's name.
func TestListsAreMadeWhenAsked(t *testing.T) {
	t.Parallel()
	c := listing(t)
	unread := filepath.Join(c.Host.Home, ".unread")
	for name, s := range map[string]face{"plain": open(t, c), "safe": open(t, safely(c, engine.Safe{}))} {
		t.Run(name, func(t *testing.T) {
			if _, err := s.Sync(t.Context(), engine.SyncOptions{}); err != nil {
				t.Fatal(err)
			}
			for query, want := range map[string][]string{
				"SELECT agent, named_by, found, logs, bytes > 0, is_read, why_not FROM agents WHERE found ORDER BY ALL":  {"Unread|default|true|NULL|NULL|false|because", "toy|default|true|1|true|true|NULL"},
				"SELECT folder FROM agents WHERE agent = 'Unread'":                                                       {unread},
				"SELECT model, above, input_usd, output_usd, cache_read_usd FROM prices":                                 {"m-1|NULL|1|2|1", "m-1|1000|3|4|3"},
				"SELECT name, subject, origin FROM queries":                                                              {"theirs|Tokens and cost|NULL", "mine|Your own|/home/me/mine.sql"},
				"SELECT name, epoch(finished_at)::BIGINT, output, error, attempt FROM report_runs":                       {"weekly|1794816000|/home/me/week.html|NULL|1"},
				"SELECT kind, rows FROM tables WHERE name IN ('messages', 'agents', 'session') ORDER BY name":            {"table|NULL", "table|2", "function|NULL"},
				`SELECT rows FROM "Tables" WHERE name = 'with_copies.messages'`:                                          {"2"},
				"SELECT rows FROM 'tables' WHERE name = 'sources'":                                                       {"1"},
				"WITH agents AS (SELECT 7 AS n), tables AS (SELECT 8 AS n) SELECT a.n, t.n FROM agents a, tables t":      {"7|8"},
				"SELECT count(*) > 9 FROM information_schema.tables":                                                     {"true"},
				"SELECT count(*) FROM agents a JOIN queries q ON a.agent = q.name":                                       {"0"},
				"SELECT table_name FROM information_schema.tables WHERE table_name IN ('agents', 'prices') ORDER BY ALL": {"agents", "prices"},
				"SELECT string_agg(column_name, ' ') FROM (DESCRIBE prices)":                                             {"model above input_usd output_usd cache_read_usd cache_write_usd cache_write_1h_usd"},
				"SELECT count(*) FROM (SUMMARIZE agents)":                                                                {"8"},
			} {
				wantRows(t, s, query, want...)
			}
			if got, err := tryRows(s, "FROM nosuch.agents", nil); err == nil {
				t.Errorf("FROM nosuch.agents: %v", got)
			}
		})
	}
	must(t, os.Remove(unread))
	s := open(t, c)
	wantRows(t, s, "SELECT count(*) FROM agents WHERE agent = 'Unread'", "0")
	rows(t, s, "CREATE TABLE agents AS SELECT 7 AS n")
	wantRows(t, s, "FROM agents", "7")
	rows(t, s, "CREATE TABLE messages AS SELECT 7 AS n")
	wantRows(t, s, "SELECT rows FROM tables WHERE name = 'messages'", "2")
}

// TestListsKeepTheScope: with a scope, lists tell no folder, no run, no query of the
// user's and no row outside, also not in an error.
func TestListsKeepTheScope(t *testing.T) {
	t.Parallel()
	c := listing(t)
	s := open(t, safely(c, engine.Safe{Projects: []string{"/elsewhere"}}))
	for query, want := range map[string][]string{
		"SELECT count(*) FROM agents":                                          {"0"},
		"SELECT count(*) FROM report_runs":                                     {"0"},
		"SELECT name FROM queries":                                             {"theirs"},
		"SELECT count(*) FROM prices":                                          {"2"},
		"SELECT DISTINCT rows FROM tables WHERE rows IS NOT NULL ORDER BY ALL": {"0"},
	} {
		wantRows(t, s, query, want...)
	}
	if got, err := tryRows(s, "SELECT listed_rows('agents')", nil); err == nil || !strings.Contains(err.Error(), "listed_rows") {
		t.Errorf("a stranger calls listed_rows: %v, %v", got, err)
	}
	for whole, projects := range map[bool][]string{true: nil, false: {"/p"}} {
		c.Prices.Read = func() ([]tables.Price, error) { return nil, errors.New("/home/me/prices.json: not JSON") }
		_, err := tryRows(open(t, safely(c, engine.Safe{Projects: projects})), "FROM prices", nil)
		if err == nil || strings.Contains(err.Error(), "/home/me") != whole {
			t.Errorf("an unreadable list of prices, all rows in scope %t: %v", whole, err)
		}
	}
}

// TestListsAreRedacted: a secret in a folder's name doesn't leave a store that redacts.
func TestListsAreRedacted(t *testing.T) {
	t.Parallel()
	const key = "ghp_4fT9kQ2mZx7Vb1nR8sLw3Yc6Hd5Jg0Pe2aUi"
	c := listing(t)
	c.Queries = func(bool) [][]any { return [][]any{{"q", "t", "s", "/" + key + "/q.sql"}} }
	plain := rows(t, open(t, c), "SELECT origin FROM queries")
	safe := rows(t, open(t, safely(c, engine.Safe{Redact: redact.New().Redact})), "SELECT origin FROM queries")
	if !strings.Contains(plain[0], key) || strings.Contains(safe[0], key) || !strings.Contains(safe[0], "[redacted:") {
		t.Errorf("plain %v, redacted %v", plain, safe)
	}
}

// TestListsLieInNoStore: no list is a table or a view in a store's file, of a push or of
// a lake.
func TestListsLieInNoStore(t *testing.T) {
	t.Parallel()
	c := listing(t)
	stored, err := ask(plainDuckDB(t, c.Store), "SELECT view_name FROM duckdb_views() WHERE NOT internal UNION ALL SELECT table_name FROM duckdb_tables()")
	must(t, err)
	for _, t := range slices.Concat(tables.All(), tables.Views(), tables.Pushed(), tables.PushedInternal()) {
		stored = append(stored, t.Name)
	}
	if !slices.Contains(stored, "messages") {
		t.Fatalf("%v", stored)
	}
	for _, list := range tables.Lists() {
		if slices.Contains(stored, list.Name) {
			t.Errorf("%s is stored", list.Name)
		}
	}
}
