package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/export"
	"hindsql/engine/redact"
	"hindsql/internal/corpus"
	"hindsql/internal/whole"
)

// trajectory holds the parts of a trajectory that tests examine. Unknown members are
// errors, as in ATIF.
type trajectory struct {
	SchemaVersion string `json:"schema_version"`
	SessionID     string `json:"session_id"`
	TrajectoryID  string `json:"trajectory_id"`
	Agent         struct {
		Name, Version string
		ModelName     string `json:"model_name"`
		Extra         map[string]any
	}
	Steps []struct {
		StepID           int `json:"step_id"`
		Timestamp        string
		Source           string
		ModelName        *string `json:"model_name"`
		Message          *string
		ReasoningContent *string `json:"reasoning_content"`
		ToolCalls        []struct {
			ToolCallID   string         `json:"tool_call_id"`
			FunctionName string         `json:"function_name"`
			Arguments    map[string]any // ATIF refuses null
			Extra        map[string]any
		} `json:"tool_calls"`
		Observation *struct {
			Results []struct {
				SourceCallID string `json:"source_call_id"`
				Content      *string
				Refs         []struct {
					Path      string `json:"trajectory_path"`
					SessionID string `json:"session_id"`
				} `json:"subagent_trajectory_ref"`
				Extra map[string]any
			}
		}
		Metrics *struct {
			Prompt     *int64 `json:"prompt_tokens"`
			Completion *int64 `json:"completion_tokens"`
			Cached     *int64 `json:"cached_tokens"`
			Extra      map[string]any
		}
		LLMCallCount    *int `json:"llm_call_count"`
		IsCopiedContext bool `json:"is_copied_context"`
		Extra           map[string]any
	}
	Notes        string
	FinalMetrics struct {
		Prompt     *int64   `json:"total_prompt_tokens"`
		Completion *int64   `json:"total_completion_tokens"`
		Cached     *int64   `json:"total_cached_tokens"`
		Cost       *float64 `json:"total_cost_usd"`
		Steps      int      `json:"total_steps"`
		Extra      map[string]any
	} `json:"final_metrics"`
	Extra map[string]any
}

func parseTrajectory(t *testing.T, text []byte) (parsed trajectory) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	must(t, d.Decode(&parsed))
	return parsed
}

// check checks a trajectory by ATIF's rules. It returns the session and its numbers of
// calls, results, refusals, stops, compactions, clears and tokens.
func (a *trajectory) check(t *testing.T) string {
	t.Helper()
	bad := func(format string, args ...any) { t.Helper(); t.Errorf(a.SessionID+": "+format, args...) }
	events := func(e map[string]any, name string) int { list, _ := e[name].([]any); return len(list) }
	names := []string{"rejections", "interruptions", "compactions", "clears"}
	calls, counts := map[string]bool{}, make([]int, len(names))
	for n, name := range names {
		counts[n] = events(a.Extra, name)
	}
	for i, s := range a.Steps {
		if s.StepID != i+1 || s.Message == nil || !slices.Contains([]string{"user", "agent", "system"}, s.Source) {
			bad("step %d: %+v", i+1, s)
		}
		if s.Source != "agent" && (s.ModelName != nil || s.ReasoningContent != nil || s.ToolCalls != nil || s.Metrics != nil || s.LLMCallCount != nil) {
			bad("step %d: of %s, and has what only agents have", i+1, s.Source)
		}
		own := map[string]bool{}
		for _, c := range s.ToolCalls {
			if c.ToolCallID == "" || calls[c.ToolCallID] || c.FunctionName == "" || c.Arguments == nil {
				bad("step %d: %+v", i+1, c)
			}
			calls[c.ToolCallID], own[c.ToolCallID] = true, true
		}
		if s.Observation != nil {
			for _, r := range s.Observation.Results {
				if !own[r.SourceCallID] || r.Content == nil && r.Refs == nil {
					bad("step %d: result of %s", i+1, r.SourceCallID)
				}
			}
		}
		for n, name := range names {
			counts[n] += events(s.Extra, name)
		}
	}
	if a.SchemaVersion != "ATIF-v1.7" || len(a.Steps) == 0 || a.FinalMetrics.Steps != len(a.Steps) || a.Agent.Name == "" || a.Agent.Version == "" {
		bad("%s, %d steps, %+v", a.SchemaVersion, len(a.Steps), a.Agent)
	}
	number := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	return fmt.Sprint(a.Agent.Name, " ", a.SessionID, " ", len(calls), " ", counts, " ", number(a.FinalMetrics.Prompt), " ", number(a.FinalMetrics.Completion), " ", number(a.FinalMetrics.Cached))
}

// TestTrajectories: each session of the sample becomes a trajectory in its own file.
// Calls, events and tokens match the tables, and references lead to files.
func TestTrajectories(t *testing.T) {
	t.Parallel()
	s := open(t, sampleHome(t))
	dir := t.TempDir()
	report := mustExport(t, s, export.Options{Dir: dir, Format: export.ATIF})
	var got []string
	refs := 0
	for name := range enginetest.Files(t, dir) {
		if !strings.HasPrefix(name, "trajectories/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		a := parseTrajectory(t, text)
		got = append(got, a.check(t))
		for _, step := range a.Steps {
			if step.Observation == nil {
				continue
			}
			for _, r := range step.Observation.Results {
				for _, ref := range r.Refs {
					refs++
					text, err := os.ReadFile(filepath.Join(dir, filepath.Dir(name), ref.Path))
					if must(t, err); parseTrajectory(t, text).SessionID != ref.SessionID {
						t.Errorf("%s: %s is of another session", name, ref.Path)
					}
				}
			}
		}
	}
	slices.Sort(got)
	count := func(table string) string {
		return "(SELECT count(*) FROM " + table + " t WHERE t.agent = s.agent AND t.session_id = s.session_id)"
	}
	want := rows(t, s, `SELECT concat_ws(' ', agent, session_id, `+count("with_copies.tool_calls")+`, '[' || `+count("with_copies.rejections")+`, `+count("with_copies.interruptions")+`, `+
		count("with_copies.compactions")+`, `+count("with_copies.clears")+` || ']', coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0),
		coalesce(output_tokens, 0), coalesce(cache_read_tokens, 0)) AS line FROM sessions s WHERE EXISTS (FROM with_copies.messages m WHERE m.agent = s.agent AND m.session_id = s.session_id) ORDER BY line`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if report.Rows != int64(len(want)) || report.Files != len(want) || refs == 0 {
		t.Errorf("%+v, %d sessions, %d references", report, len(want), refs)
	}
}

// TestTrajectoriesChosen: standard output gets one trajectory a line. Sessions can be
// chosen and redacted. An update writes changed trajectories and removes deleted ones.
func TestTrajectoriesChosen(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.8 s of processor time")
	t.Parallel()
	h := newHome(t)
	const secret = "use API_KEY=q7w8r5t1z9p3m2k4 please"
	for _, name := range []string{"a", "b"} {
		h.Write(name+".jsonl", `{"session":"`+name+`"}`+"\n", `{"id":"u`+name+`","at":"2026-01-01T00:00:00Z","text":"`+secret+`","call":"c`+name+`"}`+"\n")
	}
	h.Sync()
	s := h.Open()
	var out bytes.Buffer
	mustExport(t, s, export.Options{Dir: export.Stdout, Out: &out, Format: export.ATIF, Redact: redact.New()})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, text := range lines {
		a := parseTrajectory(t, []byte(text))
		a.check(t)
	}
	if len(lines) != 2 || strings.Contains(out.String(), "q7w8r5t1") || !strings.Contains(out.String(), "redacted:") {
		t.Errorf("%s", out.String())
	}
	dir := t.TempDir()
	all := export.Options{Dir: dir, Format: export.ATIF, Update: true}
	mustExport(t, s, all)
	h.Append("b.jsonl", `{"id":"v","at":"2026-01-02T00:00:00Z","text":"more"}`+"\n")
	_, err := s.Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	if r := mustExport(t, s, all); r.Files != 1 || r.Unchanged != 1 {
		t.Errorf("after a change: %+v", r)
	}
	none := export.Options{Dir: dir, Format: export.ATIF, Agents: []string{"nobody"}}
	if r := mustExport(t, s, none); r.Files != 0 || r.Removed != 2 {
		t.Errorf("none: %+v", r)
	}
}

// TestAtifTakes: the Python package atif accepts every trajectory of the sample and of
// the corpus. `make e2e` installs the package from PyPI into $HINDSQL_ATIF.
func TestAtifTakes(t *testing.T) {
	folder := os.Getenv("HINDSQL_ATIF")
	if folder == "" {
		t.Skip("$HINDSQL_ATIF is not set; `make e2e` sets it")
	}
	homes := map[string]func(t *testing.T) engine.Config{"sample": func(t *testing.T) engine.Config { return sampleHome(t) }}
	for _, name := range []string{"", "recent", "labelled", "new-agents"} {
		homes["corpus "+name] = func(t *testing.T) engine.Config {
			tree := corpus.Home(t, "home")
			if name != "" {
				tree = corpus.Home(t, name)
			}
			return realConfig(tree, filepath.Join(t.TempDir(), "h.duckdb"))
		}
	}
	for name, of := range homes {
		t.Run(name, func(t *testing.T) {
			s := open(t, of(t))
			_, err := s.Sync(t.Context(), engine.SyncOptions{})
			must(t, err)
			for _, redactor := range []export.Redactor{nil, redact.New()} {
				dir := t.TempDir()
				report := mustExport(t, s, export.Options{Dir: dir, Format: export.ATIF, Redact: redactor})
				out, err := exec.Command(filepath.Join(folder, "bin", "python"), filepath.Join("testdata", "atif_validate.py"), dir).CombinedOutput()
				if err != nil || !strings.Contains(string(out), fmt.Sprintf(`"trajectories": %d, "refused": 0`, report.Rows)) {
					t.Errorf("%d sessions; %v\n%s", report.Rows, err, out)
				}
				t.Logf("%s", out)
			}
		})
	}
}
