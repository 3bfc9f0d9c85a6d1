package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/mcp"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/internal/whole"
	"hindsql/queries"
	"hindsql/tables"
)

// Content of twoRepositories' logs that no answer may have: words and paths of the
// other repository, and a secret, plain and as SQL might spell it.
const (
	secret     = "ghp_Zx81kQpLw03vTnRbYc5mEoJdHs7uGaFi29Ke"
	otherWord  = "zebra"
	otherBegin = "deadbeef" // beginning of the session's id, which a client may ask for
	otherID    = otherBegin + "-0000-4000-8000-00000000c0de"
)

var kept = []string{otherWord, "arbez", strings.TrimPrefix(otherID, otherBegin), "/w/other", "-w-other", "w/other", "ghp_", "_phg", "Zx81kQ", "Qk18xZ"}

// twoRepositories returns a home with a repository, /w/shop, a worktree of /w/shop, and
// another repository. Each has sessions, typed prompts, and unreadable lines. The
// server's scope is /w/shop, and the server redacts.
func twoRepositories(t *testing.T) *home {
	t.Helper()
	h := emptyHome(t)
	h.session("aaaa0001-0000-4000-8000-000000000001", "/w/shop", "an okapi, use "+secret, "7")
	h.session("aaaa0002-0000-4000-8000-000000000002", "/w/shop.worktrees/fix", "a gnu")
	h.session(otherID, "/w/other", "a "+otherWord+", use "+secret, otherWord)
	for project, word := range map[string]string{"-w-shop": "okapi", "-w-other": otherWord} {
		must(t, os.WriteFile(filepath.Join(h.folder, ".claude", "projects", project, "bad.jsonl"), []byte("{\""+word+" "+secret+"\n"), 0o600))
	}
	var typed strings.Builder
	for project, word := range map[string]string{"/w/shop": "okapi", "/w/other": otherWord} {
		fmt.Fprintf(&typed, `{"display":"typed %s %s","pastedContents":{},"timestamp":1759309200000,"project":%q}`+"\n", word, secret, project)
	}
	must(t, os.WriteFile(filepath.Join(h.folder, ".claude", "history.jsonl"), []byte(typed.String()), 0o600))
	h.safe = engine.Safe{Projects: []string{"/w/shop"}, Redact: redact.New().Redact}
	h.scope = "/w/shop and its worktrees"
	return h
}

// keeps checks that an answer has no forbidden content.
func keeps(t *testing.T, what string, answer any, err error) {
	t.Helper()
	text, wrong := json.Marshal(answer)
	must(t, wrong)
	said := strings.ReplaceAll(string(text), `\/`, "/")
	if err != nil {
		said += err.Error()
	}
	for _, word := range kept {
		if strings.Contains(strings.ToLower(said), strings.ToLower(word)) {
			t.Errorf("%s: gives %q: %.1500s", what, word, said)
		}
	}
}

// TestScopeHolds asks for everything, in every way that the server offers. No answer
// may contain anything of the other repository, or a secret.
func TestScopeHolds(t *testing.T) {
	whole.Test(t, "tries each scope, 6.8 s of processor time")
	t.Parallel()
	h := twoRepositories(t)
	without := *h
	without.safe = engine.Safe{}
	a := without.client(nil).query("SELECT text, session_id, project FROM messages")
	for _, word := range []string{otherWord, otherID, "/w/other", secret} {
		if !strings.Contains(string(a.structured), word) {
			t.Fatalf("without a scope there is no %s either: %s", word, a.structured)
		}
	}
	c := h.client(nil)
	if a := c.query("SELECT string_agg(text, ' ') AS t FROM messages"); !strings.Contains(a.text, "okapi") || !strings.Contains(a.text, "gnu") || !strings.Contains(a.text, "[redacted:github-pat]") {
		t.Fatalf("what is in scope isn't there: %s", a.text)
	}
	asks := map[string]func(*testing.T){
		"query": func(t *testing.T) { c.askSQL(t, h.otherSource(t)) }, "run": c.askSaved, "describe": c.askNames,
	}
	for _, name := range mcp.ToolNames() {
		if asks[name] == nil {
			t.Errorf("%s: add a function that asks it for the other repository", name)
			continue
		}
		t.Run(name, asks[name])
	}
	t.Run("resources", func(t *testing.T) { c.askResources(t) })
	t.Run("prompts", func(t *testing.T) { c.askPrompts(t) })
}

// otherSource returns the id of the other repository's log. An agent of the other
// repository would know the id.
func (h *home) otherSource(t *testing.T) string {
	t.Helper()
	config := h.config(filepath.Join(t.TempDir(), "plain.duckdb"))
	config.Safe = nil
	st, err := engine.Open(context.Background(), config)
	must(t, err)
	defer st.Close()
	_, err = st.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	s, err := st.Session(context.Background())
	must(t, err)
	defer s.Close()
	id := ""
	must(t, s.Read(context.Background(), func(r *engine.Reading) error {
		return r.Each(context.Background(), "SELECT source_id::VARCHAR FROM "+engine.StoreSchema+".sessions WHERE session_id = '"+otherID+"'", func(scan func(...any) error) error { return scan(&id) })
	}))
	if id == "" {
		t.Fatal("no other session")
	}
	return id
}

// pages reads a whole answer, page by page.
func (c *client) pages(t *testing.T, tool string, arguments map[string]any) (asked int) {
	t.Helper()
	arguments["max_chars"], arguments["cell_chars"] = 100_000, 10_000
	for range 50 {
		r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		keeps(t, fmt.Sprint(tool, arguments), r, err)
		if err != nil || r.IsError {
			return asked
		}
		asked++
		next, _ := r.StructuredContent.(map[string]any)["next"].(string)
		if next == "" {
			return asked
		}
		arguments["cursor"] = next
	}
	t.Errorf("%s %v: no end", tool, arguments)
	return asked
}

func (c *client) askSQL(t *testing.T, source string) {
	var list []string
	for _, table := range tables.Shown() {
		list = append(list, "FROM "+table.Name, "SELECT t::VARCHAR FROM "+table.Name+" t", "SUMMARIZE "+table.Name, "SELECT count(*) FROM "+table.Name)
	}
	for i, sql := range list {
		t.Run(sql, func(t *testing.T) {
			whole.Most(t, i, 9, "each table in four ways")
			if c.pages(t, "query", map[string]any{"sql": sql}) == 0 {
				t.Error("no answer")
			}
		})
	}
	for i, sql := range []string{
		"SELECT raw(source_id, line), reverse(raw(source_id, line)) FROM messages", "SELECT raw(source_id, n) FROM sources, range(1, 9) r(n)",
		"SELECT raw(" + source + ", n) FROM range(1, 9) r(n)", "SELECT raw(" + source + ", 1)::INTEGER",
		"FROM search('zeb' || 'ra')", "FROM search('Zx8' || '1kQ')", "FROM search('.', kind := 'prompt')",
		"FROM session((SELECT '" + otherBegin + "' || '" + strings.TrimPrefix(otherID, otherBegin)[:9] + "'))", "FROM session('" + otherBegin + "')",
		"SELECT text::INTEGER FROM messages", "SELECT json(text) FROM messages", "SELECT text::TIMESTAMP FROM with_copies.messages", "SELECT error(text) FROM messages",
		"SELECT strptime(text, '%Y') FROM messages", "SELECT CAST(display AS DATE) FROM prompts", "SELECT message::INTEGER FROM problems", "SELECT path::INTEGER FROM sources",
		"SELECT unhex(text) FROM messages", "SELECT regexp_matches('a', text || '[') FROM messages", "SELECT date_trunc(text, now()) FROM messages",
		"SELECT text->>'$[' FROM messages", "SELECT project::INTEGER FROM projects", "SELECT reverse(text) FROM messages",
		"SHOW ALL TABLES", "FROM duckdb_tables()", "FROM duckdb_views()", "FROM duckdb_columns()", "FROM information_schema.tables", "EXPLAIN ANALYZE SELECT * FROM messages WHERE text = 'x'",
		"SELECT stats(text) FROM messages", "SELECT approx_top_k(text, 9), histogram(text), min(text), max(text), mode(text) FROM with_copies.messages",
		"FROM store.hindsql_internal.messages", "FROM memory.main.feed_messages", "SELECT getvariable('x')", "SELECT project_name('/w/' || 'other') = 'x'",
		"PIVOT messages ON text IN ('a') USING count(*) GROUP BY session_id", "SELECT nothing FROM messages", "SELECT * FROM message",
	} {
		t.Run(sql, func(t *testing.T) {
			whole.Most(t, i, 5, "forty statements that look for a way out")
			c.pages(t, "query", map[string]any{"sql": sql})
		})
	}
}

func (c *client) askSaved(t *testing.T) {
	saved, err := queries.All("")
	must(t, err)
	for i, q := range saved {
		t.Run(q.Name, func(t *testing.T) {
			whole.Most(t, i, 10, "each query with three values")
			for _, value := range []string{"", otherBegin, "oth" + "er"} {
				params := map[string]any{}
				for _, p := range q.AllParams() {
					if value != "" && slices.Contains([]string{"project", "session", "session_id", "id", "text", "pattern"}, p.Name) {
						params[p.Name] = value
					}
				}
				if value == "" || len(params) > 0 {
					c.pages(t, "run", map[string]any{"name": q.Name, "params": params})
				}
			}
		})
	}
}

func (c *client) askNames(t *testing.T) {
	c.pages(t, "describe", map[string]any{})
	saved, err := queries.All("")
	must(t, err)
	var names []string
	for _, q := range saved {
		names = append(names, q.Name)
	}
	for _, table := range tables.Shown() {
		names = append(names, table.Name)
	}
	for _, m := range tables.Macros() {
		names = append(names, m.Name)
	}
	for i, name := range append(names, otherBegin, "../../etc/passwd", "sources'") {
		t.Run(name, func(t *testing.T) {
			whole.Most(t, i, 9, "each name")
			c.pages(t, "describe", map[string]any{"name": name})
		})
	}
}

// askResources reads each listed resource, and each resource made of a template and
// names or ids.
func (c *client) askResources(t *testing.T) {
	if c.InitializeResult().Capabilities.Resources == nil {
		t.Skip("no resources")
	}
	ctx := context.Background()
	for r, err := range c.Resources(ctx, nil) {
		must(t, err)
		keeps(t, "list", r, nil)
		read, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: r.URI})
		keeps(t, r.URI, read, err)
	}
	for template, err := range c.ResourceTemplates(ctx, nil) {
		must(t, err)
		keeps(t, "templates", template, nil)
		before, _, _ := strings.Cut(template.URITemplate, "{")
		for _, value := range []string{"aaaa0001", otherBegin, otherBegin + "%2D0000", "last", "messages", "sources", "problems", "rejections", "sessions"} {
			read, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: before + value})
			keeps(t, before+value, read, err)
		}
	}
}

func (c *client) askPrompts(t *testing.T) {
	if c.InitializeResult().Capabilities.Prompts == nil {
		t.Skip("no prompts")
	}
	ctx := context.Background()
	for p, err := range c.Prompts(ctx, nil) {
		must(t, err)
		keeps(t, "list", p, nil)
		for _, value := range []string{"", "aaaa0001", otherBegin, "last", "30d"} {
			arguments := map[string]string{}
			for _, a := range p.Arguments {
				arguments[a.Name] = value
			}
			got, err := c.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name, Arguments: arguments})
			keeps(t, p.Name+" "+value, got, err)
		}
	}
}

// TestScopeOfNothing checks that a client in a folder without sessions is told that
// there are none, and how to see more.
func TestScopeOfNothing(t *testing.T) {
	t.Parallel()
	h := twoRepositories(t)
	h.safe.Projects, h.scope = []string{"/w/none"}, "/w/none"
	a := h.client(nil).query("SELECT count(*) AS n FROM sessions")
	if fmt.Sprint(a.Rows) != "[[0]]" || !strings.Contains(strings.Join(a.Warnings, " "), "no session ran in /w/none; the user can start `hindsql mcp --all`") {
		t.Errorf("%+v", a)
	}
}

// TestNotices checks that answers mention further rows, and an empty store.
func TestNotices(t *testing.T) {
	t.Parallel()
	c := emptyHome(t).client(nil)
	const more = "the same call with cursor set to next"
	if a := c.query("FROM range(3)"); a.Truncated || strings.Contains(a.Notice, more) || !strings.Contains(strings.Join(a.Warnings, " "), "no sessions are loaded") {
		t.Errorf("%+v", a)
	}
	if a := c.query("FROM range(100000)"); !a.Truncated || !strings.Contains(a.Notice, more) {
		t.Errorf("truncated %t: %s", a.Truncated, a.Notice)
	}
}
