package claude

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/claudefiles"
	"hindsql/tables"
)

// sessionFacts holds facts about the whole session. If several lines hold a fact, the
// last value is used (FORMAT.md §2.1); of project and forkedFrom, the first.
type sessionFacts struct {
	kind, project, branch, origin, version string
	mode                                   string // current permission mode
	sessionKind                            string // "bg" for a session in the background
	forkedFrom, slug                       string
	customTitle, localTitle, aiTitle       string
	summaries                              []summaryOf
	cost                                   tables.Maybe[float64]
	costs                                  map[string]float64 // early 2025: cost by message
	costSum                                float64
	prLinks                                []string
	prLinked                               map[string]bool // the URLs in prLinks
	extra                                  readers.Extra
	parentAgent                            string
}

// summaryOf is a title that Claude Code made, with the uuid of the conversation's last
// line at that time.
type summaryOf struct{ leaf, title string }

// apiErrorStart begins a title that is an API error: Claude Code asked the model for a
// title and stored the error.
const apiErrorStart = "API Error"

// summaryTitle returns this session's last summary; empty if none. A summary belongs to
// this session if the file holds the summary's last line. Many files begin with
// summaries of other sessions.
func (t *transcript) summaryTitle() string {
	for _, s := range slices.Backward(t.facts.summaries) {
		if t.chain.hasLine(s.leaf) && !strings.HasPrefix(s.title, apiErrorStart) {
			return s.title
		}
	}
	return ""
}

// folder returns a line's working directory.
func folder(r *record) string { return readers.Folder(readers.Text(r.Value, "cwd")) }

func (f *sessionFacts) addEnvelope(r *record) {
	set := func(to *string, key string) {
		if v := r.GetStringBytes(key); len(v) > 0 && string(v) != *to {
			*to = string(v)
		}
	}
	f.version = cmp.Or(r.version, f.version)
	if f.project == "" {
		f.project = folder(r) // cd changes it; the session began in the first
	}
	set(&f.branch, "gitBranch")
	set(&f.origin, "entrypoint")
	f.forkedFrom = cmp.Or(f.forkedFrom, r.original)
	if slug := r.GetStringBytes("slug"); len(slug) > 0 && string(slug) != f.slug {
		f.slug = string(slug)
		f.extra.Set("slug", f.slug)
	}
	if r.kind == "user" {
		if kind := r.GetStringBytes("sessionKind"); len(kind) > 0 && f.sessionKind != string(kind) {
			f.sessionKind = string(kind)
			f.extra.Set("session_kind", f.sessionKind)
		}
		if mode := r.GetStringBytes("permissionMode"); len(mode) > 0 && string(mode) != f.mode {
			f.mode = string(mode)
			f.extra.Set("permission_mode", f.mode)
		}
	}
	f.addCost(r)
}

// addCost adds up the costUSD of lines from early 2025. A message with several
// lines counts once, with its highest cost.
func (f *sessionFacts) addCost(r *record) {
	v := r.Get("costUSD")
	if v == nil {
		return
	}
	id := readers.Text(r.Value, "message", "id")
	id = cmp.Or(id, r.uuid)
	if f.costs == nil {
		f.costs = map[string]float64{}
	}
	if more := v.GetFloat64() - f.costs[id]; more > 0 {
		f.costs[id] += more
		f.costSum += more
	}
}

// addMetadata handles a line without envelope (FORMAT.md §3.5).
func (f *sessionFacts) addMetadata(r *record) {
	switch r.kind {
	case "summary":
		f.summaries = append(f.summaries, summaryOf{readers.Text(r.Value, "leafUuid"), readers.Text(r.Value, "summary")})
	case "ai-title":
		f.aiTitle = readers.Text(r.Value, "aiTitle")
	case "custom-title":
		f.customTitle = readers.Text(r.Value, "customTitle")
	case "pr-link":
		f.addPRLink(readers.Text(r.Value, "prUrl"))
	case "permission-mode":
		f.mode = readers.Text(r.Value, "permissionMode")
		f.extra.Set("permission_mode", f.mode)
	case "agent-name":
		f.extra.Set("agent_name", readers.Text(r.Value, "agentName"))
	case "cost-state":
		if v := r.Get("totalCostUSD"); v != nil {
			f.cost = tables.Some(v.GetFloat64())
		}
		if o := r.GetObject("modelUsage"); o != nil && o.Len() > 0 {
			f.extra.JSON("model_usage", r.Get("modelUsage"))
		}
	}
}

func (f *sessionFacts) addPRLink(url string) {
	if f.prLinked == nil {
		f.prLinked = map[string]bool{}
	}
	if !f.prLinked[url] {
		f.prLinked[url] = true
		f.prLinks = append(f.prLinks, url)
		f.extra.Set("pr_links", f.prLinks)
	}
}

func (t *transcript) session() *tables.Session {
	f := &t.facts
	s := &tables.Session{
		SessionID:    t.id,
		Kind:         f.kind,
		ForkedFrom:   f.forkedFrom,
		Title:        cmp.Or(f.customTitle, f.localTitle, f.aiTitle, t.summaryTitle()),
		Project:      f.project,
		GitBranch:    f.branch,
		Origin:       f.origin,
		AgentVersion: f.version,
		CostUSD:      f.cost,
		Extra:        readers.Object(f.extra),
	}
	if t.agent {
		s.ParentSessionID = t.root
		if f.parentAgent != "" {
			s.ParentSessionID += "/agent-" + f.parentAgent
		}
	}
	if !s.CostUSD.OK && len(f.costs) > 0 {
		s.CostUSD = tables.Some(f.costSum)
	}
	return s
}

// readMeta reads agent-<id>.meta.json beside a subagent's transcript (FORMAT.md §1.2).
func (t *transcript) readMeta() {
	if !t.agent {
		return
	}
	data, err := t.in.ReadFile(strings.TrimSuffix(t.in.Rel, ".jsonl") + ".meta.json")
	if err != nil {
		t.reportFileError(err)
		return
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		t.emit(&tables.Problem{What: path.Base(t.in.Rel) + ": bad JSON in its meta.json"})
		return
	}
	t.facts.parentAgent = readers.Text(v, "parentAgentId")
	t.facts.aiTitle = cmp.Or(t.facts.aiTitle, readers.Text(v, "description"))
	t.facts.extra.Set("meta", json.RawMessage(readers.JSON(v)))
}

// readDesktop reads local_<id>.json beside the folder of a Cowork session: the title,
// and the folder that the user chose. The transcript's lines only have paths inside the
// virtual machine.
func (t *transcript) readDesktop() {
	local, _, ok := strings.Cut(t.in.Rel, claudefiles.InCowork)
	if !ok || !strings.HasPrefix(path.Base(local), "local_") {
		return
	}
	data, err := t.in.ReadFile(local + ".json")
	if err != nil {
		t.reportFileError(err)
		return
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		t.emit(&tables.Problem{What: path.Base(local) + ".json: bad JSON"})
		return
	}
	folder := readers.Text(v, "cwd")
	if folders := v.GetArray("userSelectedFolders"); len(folders) > 0 {
		folder = cmp.Or(readers.Text(folders[0]), folder)
	}
	t.facts.project = cmp.Or(readers.Folder(folder), t.facts.project)
	if !t.agent {
		t.facts.localTitle = readers.Text(v, "title")
	}
	t.facts.extra.Text("local_session_id", readers.Text(v, "sessionId"))
}
