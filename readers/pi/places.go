package pi

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
)

// below returns a folder below the home folder.
func below(parts ...string) func(readers.Host) []string {
	return func(host readers.Host) []string {
		return []string{filepath.Join(append([]string{host.Home}, parts...)...)}
	}
}

// agentFolder returns pi's folder of the user's files.
func agentFolder(host readers.Host) string {
	return cmp.Or(host.Getenv("PI_CODING_AGENT_DIR"), filepath.Join(host.Home, ".pi", "agent"))
}

func settings(host readers.Host) []string { return []string{agentFolder(host)} }

// skills returns the folders of a user's skills (badlogic/pi-mono,
// packages/coding-agent/docs/skills.md).
func skills(host readers.Host) []string {
	return append(readers.HomeFolders(readers.SharedSkills)(host), filepath.Join(agentFolder(host), "skills"))
}

// clawSkills returns OpenClaw's folders of skills. With OPENCLAW_STATE_DIR, OpenClaw
// ignores the home folder (openclaw/openclaw, docs/tools/skills.md).
func clawSkills(host readers.Host) []string {
	if state := host.Getenv("OPENCLAW_STATE_DIR"); state != "" {
		return []string{filepath.Join(state, "skills")}
	}
	return readers.HomeFolders(readers.SharedSkills, ".openclaw/skills")(host)
}

// roots returns pi's folder of sessions, and the folder in pi's settings.
func roots(host readers.Host) []string {
	agent := agentFolder(host)
	list := []string{filepath.Join(agent, "sessions")}
	if folder := sessionDir(filepath.Join(agent, "settings.json")); strings.HasPrefix(folder, "~/") {
		list = append(list, filepath.Join(host.Home, folder[2:]))
	} else if filepath.IsAbs(folder) {
		list = append(list, folder) // a relative folder differs by project
	}
	return list
}

// sessionDir returns the folder of sessions in a settings file; empty if none.
func sessionDir(settings string) string {
	text, err := readers.ReadFile(settings)
	if err != nil {
		return ""
	}
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return ""
	}
	return readers.Text(v, "sessionDir")
}

// isLog accepts the sessions. OpenClaw renames reset and deleted sessions, and keeps a
// record of its runs beside the sessions, which repeats them.
func isLog(rel string, archives bool) bool {
	switch {
	case !archives:
		return strings.HasSuffix(rel, ".jsonl")
	case strings.HasSuffix(rel, ".trajectory.jsonl"):
		return false
	}
	_, archived, is := strings.Cut(path.Base(rel), ".jsonl")
	return is && (archived == "" || strings.HasPrefix(archived, ".reset.") || strings.HasPrefix(archived, ".deleted."))
}
