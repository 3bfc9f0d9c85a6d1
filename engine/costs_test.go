package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hindsql/internal/whole"
)

// TestCostsFollowCopies: copied messages cost nothing in a fork while the original's
// log is loaded. Messages older than the fork are no copies by age alone.
func TestCostsFollowCopies(t *testing.T) {
	whole.Test(t, "syncs four times and loads anew")
	t.Parallel()
	h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	const costs = "SELECT session_id, round(cost_usd, 6) FROM sessions ORDER BY session_id"
	forkedLog(h, "b", "a", 2, 3)
	h.Sync()
	h.Want(costs, "b|0.005")
	original := forkedLog(h, "a", "", 2)
	h.Sync()
	h.Want(costs, "a|0.002", "b|0.003")
	h.LikeClean()
	forkedLog(h, "b", "a", 2) // the fork has no message of its own left
	h.Sync()
	h.Want(costs, "a|0.002", "b|NULL")
	must(t, os.Remove(original))
	h.Store = filepath.Join(t.TempDir(), "new.duckdb")
	h.Sync()
	h.Want(costs, "b|0.002")
}

// forkedLog writes a session of pi, with an answer for each cost in thousandths of a
// dollar. The n-th line is the same in all logs.
func forkedLog(h *home, id, parent string, costs ...int) (file string) {
	head := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-11-04T10:00:00.000Z","cwd":"/w/shop"`, id)
	if parent != "" {
		head += fmt.Sprintf(`,"parentSession":"/home/ada/.pi/agent/sessions/--w-shop--/2026-11-04T09-00-00-000Z_%s.jsonl"`, parent)
	}
	log := head + "}\n"
	for i, cost := range costs {
		log += fmt.Sprintf(`{"type":"message","id":"aaaa000%d","parentId":null,"timestamp":"2026-11-04T09:00:0%d.000Z","message":{"role":"assistant",`+
			`"content":[{"type":"text","text":"Answer %d."}],"model":"m-1","usage":{"input":10,"output":2,"totalTokens":12,"cost":{"total":0.00%d}},"stopReason":"stop"}}`+"\n", i, i, i, cost)
	}
	file = filepath.Join(h.Dir, ".pi", "agent", "sessions", "--w-shop--", "2026-11-04T09-00-00-000Z_"+id+".jsonl")
	must(h.T, os.MkdirAll(filepath.Dir(file), 0o755))
	must(h.T, os.WriteFile(file, []byte(log), 0o644))
	must(h.T, touch(file))
	return file
}
