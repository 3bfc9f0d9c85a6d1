package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hindsql/internal/corpus"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
)

// walkSeed is the seed of TestLogsMove. $HINDSQL_SEED names another one, and
// $HINDSQL_TORTURE another time than a minute. The seed is fixed, so that a change fails
// by its own faults.
const walkSeed = 62

// walkRoots are the folders of the agents whose logs a walk moves, below a home.
var walkRoots = map[string]string{
	"claude": ".claude", "codex": ".codex", "gemini": ".gemini", "neovate": ".neovate", "copilot": ".copilot", "pi": ".pi",
	"grok": ".grok", "kimi": ".kimi-code", "openclaw": ".openclaw", "qwen": ".qwen",
}

// walkHomes are the folders, below a walk's home, that roots are moved to and copied to.
var walkHomes = []string{"", "second", "third"}

// TestLogsMove moves, copies, compresses, archives, forks and cuts logs at random, and
// syncs in between. After each sync, the default tables equal the tables of an untouched
// home.
func TestLogsMove(t *testing.T) {
	whole.Test(t, "moves logs for a minute")
	t.Parallel()
	seed, limit := uint64(walkSeed), time.Minute
	if text := os.Getenv("HINDSQL_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		must(t, err)
		seed = n
	}
	if text := os.Getenv("HINDSQL_TORTURE"); text != "" {
		d, err := time.ParseDuration(text)
		must(t, err)
		limit = d
	}
	t.Logf("seed %d, for %v", seed, limit)
	random := rand.New(rand.NewPCG(seed, seed))
	var homes []string
	made, err := sample.Write(t.TempDir())
	must(t, err)
	homes = append(homes, made)
	for _, name := range []string{"recent", "labelled", "more", "new-agents", "agents-3"} {
		if home, ok := corpus.Find(t, name); ok {
			homes = append(homes, home)
		}
	}
	steps := 0
	for begin, i := time.Now(), 0; time.Since(begin) < limit && !t.Failed(); i++ {
		w := newLogWalk(t, homes[i%len(homes)], random)
		for range 12 {
			if steps++; !w.step() || time.Since(begin) > limit {
				break
			}
		}
	}
	t.Logf("%d steps", steps)
}

// logWalk is a walk in one home.
type logWalk struct {
	*home
	random  *rand.Rand
	plain   *home           // the same logs, where nothing moves
	want    map[string]bool // rows of plain
	forks   map[string]bool // ids of sessions that the walk made
	history []string        // the steps so far
}

func newLogWalk(t *testing.T, from string, random *rand.Rand) *logWalk {
	t.Helper()
	newHome := func() *home {
		h := &home{T: t, Dir: filepath.Join(t.TempDir(), "home"), Store: filepath.Join(t.TempDir(), "h.duckdb")}
		must(t, os.CopyFS(h.Dir, os.DirFS(from)))
		return h
	}
	w := &logWalk{home: newHome(), random: random, plain: newHome(), forks: map[string]bool{}}
	w.history = append(w.history, from)
	for _, h := range []*home{w.home, w.plain} {
		h.Roots = map[string][]string{}
		for agent, folder := range walkRoots {
			for _, below := range walkHomes {
				h.Roots[agent] = append(h.Roots[agent], filepath.Join(h.Dir, below, folder))
			}
		}
	}
	w.plain.Sync()
	w.want = w.counted(w.plain)
	w.sync()
	return w
}

// step changes some logs, syncs, and compares. It reports whether the rows are right.
func (w *logWalk) step() bool {
	w.T.Helper()
	steps := []func() string{w.moveRoot, w.copyRoot, w.dropRoot, w.refile, w.copyLog, w.renameFolder, w.archive, w.compress, w.unpack, w.fork, w.growAgain, w.cut, w.touch}
	for range 1 + w.random.IntN(3) {
		what := ""
		for what == "" {
			what = steps[w.random.IntN(len(steps))]()
		}
		w.history = append(w.history, what)
	}
	w.sync()
	got := w.counted(w.home)
	missing, more := without(w.want, got), without(got, w.want)
	if len(missing)+len(more) > 0 {
		w.T.Errorf("after %s\n%d rows are missing:\n%.3000s\n%d rows are too many:\n%.3000s",
			strings.Join(w.history, "\n  "), len(missing), strings.Join(missing, "\n"), len(more), strings.Join(more, "\n"))
	}
	return len(missing)+len(more) == 0
}

// without returns the members of one set that another lacks.
func without(a, b map[string]bool) (list []string) {
	for _, row := range slices.Sorted(maps.Keys(a)) {
		if !b[row] {
			list = append(list, row)
		}
	}
	return list
}

func (w *logWalk) sync() {
	w.T.Helper()
	report := w.Sync()
	w.history = append(w.history, fmt.Sprintf("sync: %d loaded, %d unchanged, %d gone", report.Loaded, report.Unchanged, report.Gone))
}

// counted returns the rows of the default tables, without those of forks that the walk
// made.
func (w *logWalk) counted(h *home) map[string]bool {
	w.T.Helper()
	var pieces []string
	for table, id := range map[string]string{
		"sessions": "session_id", "messages": "session_id", "tool_calls": "session_id", "rejections": "session_id",
		"interruptions": "session_id", "compactions": "session_id", "clears": "coalesce(session_id, '')", "prompts": "coalesce(session_id, '')",
	} {
		without := "source_id"
		if table == "tool_calls" { // names the file
			without += ", extra"
		}
		pieces = append(pieces, fmt.Sprintf("SELECT '%s', %s, CAST(t AS VARCHAR) FROM (SELECT * EXCLUDE (%s) FROM %[1]s) t", table, id, without))
	}
	rows := map[string]bool{}
	for _, row := range h.Rows(strings.Join(pieces, " UNION ALL ")) {
		parts := strings.SplitN(row, "|", 3)
		if !w.forks[parts[1]] {
			for rows[row] {
				row += " again"
			}
			rows[row] = true
		}
	}
	return rows
}
