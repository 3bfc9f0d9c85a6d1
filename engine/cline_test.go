package engine_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/internal/whole"
	"hindsql/readers/cline"
	"hindsql/tables"
)

// layCline lays a sample of Cline's reader in a home.
func layCline(t *testing.T, name string) (h *home, files map[string]string) {
	t.Helper()
	h, files = newHome(t), map[string]string{}
	h.Reader = cline.Reader
	archive, err := txtar.ParseFile(filepath.Join("..", "readers", "cline", "testdata", name+".txtar"))
	must(t, err)
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			files[f.Name] = string(f.Data)
			h.Put(".cline/data/"+f.Name, string(f.Data))
		}
	}
	return h, files
}

// TestClineInTheMiddleOfAWrite: Cline writes a session's file anew from its first byte. A
// sync that finds the beginning of the file, or nothing, keeps the rows of before.
func TestClineInTheMiddleOfAWrite(t *testing.T) {
	whole.Test(t, "syncs nine times, 1.8 s of processor time")
	t.Parallel()
	h, files := layCline(t, "refusals")
	const name = "sessions/1791900000000_denyA/1791900000000_denyA.messages.json"
	text := files[name]
	h.Sync()
	messages := "SELECT count(*) FROM messages WHERE session_id = '1791900000000_denyA'"
	refused := "SELECT count(*) FROM rejections WHERE session_id = '1791900000000_denyA'"
	before := h.Rows(messages)
	h.Want(refused, "4")
	for _, n := range []int{0, 1, 40, len(text) / 3, len(text) - 40} {
		h.Put(".cline/data/"+name, text[:n])
		h.Sync()
		h.Want(messages, before...)
		h.Want(refused, "4")
		h.Want("SELECT count(*) FROM problems", "1")
	}
	longer := strings.Replace(text, `<user_input mode=\"act\">patch it`, `<user_input mode=\"act\">now patch it`, 1)
	h.Put(".cline/data/"+name, longer)
	h.Sync()
	h.Want("SELECT count(*) FROM problems", "0")
	h.Want("SELECT count(*) FROM messages WHERE text = 'now patch it'", "1")
	h.LikeClean()

	h.Put(".cline/data/sessions/1791909000000_fresh/1791909000000_fresh.messages.json", text[:len(text)/2])
	h.Sync()
	h.Want("SELECT count(*) > 0 FROM messages WHERE session_id = '1791909000000_fresh'", "true") // nothing was there before
}

// TestClineCopies: /undo and /fork copy messages with their ids, so each counts once.
func TestClineCopies(t *testing.T) {
	whole.Test(t, "loads several stores, 0.4 s of processor time")
	t.Parallel()
	h, _ := layCline(t, "clears")
	h.Sync()
	h.Want("SELECT session_id, count(*) FROM with_copies.messages WHERE is_copy GROUP BY ALL ORDER BY ALL", "1791902060000_undoC|2", "1791902090000_forkD|4")
	h.Want("SELECT session_id, forked_from FROM with_copies.sessions WHERE forked_from IS NOT NULL ORDER BY ALL",
		"1791902060000_undoC|1791902030000_clrB", "1791902090000_forkD|1791902060000_undoC")
	h.Want("SELECT session_id, next_session_id, evidence, confidence FROM with_copies.clears ORDER BY ALL",
		"1791902000000_clrA|1791902030000_clrB|inferred|0.9", "1791902150000_codeF|1791902180000_codeG|inferred|0.6")
}

// clineSecret stands in every file that must not be read.
const clineSecret = "cline-planted-secret"

// TestClineSecrets: nothing of the files beside the logs comes into a store.
func TestClineSecrets(t *testing.T) {
	t.Parallel()
	h, _ := layCline(t, "refusals")
	text := `{"messages":[{"id":"1","role":"user","content":"` + clineSecret + `"}],"apiKey":"` + clineSecret + `"}` + "\n"
	for _, file := range []string{
		"settings/providers.json", "settings/cline_mcp_settings.json", "settings/global-settings.json", "secrets.json", "globalState.json",
		"db/sessions.db", "db/connectors.db", "state/globalState.json", "cache/models.json", "cache/other.jsonl", "logs/hooks.jsonl", "logs/cline.log",
		"connectors/settings.json", "teams/a/state.json", "sessions/providers.json", "sessions/notes.messages.json",
		"sessions/1791900000000_denyA/providers.json", "sessions/1791900000000_denyA/1791900000000_denyA.log", "sessions/1791900000000_denyA/deep/x.messages.json",
		"tasks/1791906000000/settings.json", "tasks/1791906000000/task_metadata.json", "tasks/1791906000000/context_history.json", "tasks/secrets.json",
	} {
		h.Put(".cline/data/"+file, text)
	}
	for _, file := range []string{".cline/secrets.json", ".cline/auth.json", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"} {
		h.Put(file, text)
	}
	h.Sync()
	h.Want("SELECT count(*) FROM sessions", "2")
	h.Want("SELECT count(*) FROM problems", "0")
	h.Want("SELECT count(*) FROM store.main.messages t WHERE contains(t::VARCHAR, 'make a file')", "1") // a secret would be found like this
	for _, table := range tables.Loaded() {
		schema := "main"
		if table.Internal {
			schema = "hindsql_internal"
		}
		h.Want(fmt.Sprintf("SELECT count(*) FROM store.%s.%s t WHERE contains(t::VARCHAR, '%s')", schema, table.Name, clineSecret), "0")
	}
}
