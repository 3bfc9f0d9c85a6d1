package pi

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
)

// below gives a folder of the user's.
func below(parts ...string) func(readers.Host) []string {
	return func(host readers.Host) []string {
		return []string{filepath.Join(append([]string{host.Home}, parts...)...)}
	}
}

// agentFolder is where pi keeps what is the user's.
func agentFolder(host readers.Host) string {
	return cmp.Or(host.Getenv("PI_CODING_AGENT_DIR"), filepath.Join(host.Home, ".pi", "agent"))
}

func settings(host readers.Host) []string { return []string{agentFolder(host)} }

// skills are the folders of a user's skills (badlogic/pi-mono,
// packages/coding-agent/docs/skills.md).
func skills(host readers.Host) []string {
	return append(readers.HomeFolders(readers.SharedSkills)(host), filepath.Join(agentFolder(host), "skills"))
}

// clawSkills are OpenClaw's: with a state of its own it doesn't look into the
// home folder (openclaw/openclaw, docs/tools/skills.md).
func clawSkills(host readers.Host) []string {
	if state := host.Getenv("OPENCLAW_STATE_DIR"); state != "" {
		return []string{filepath.Join(state, "skills")}
	}
	return readers.HomeFolders(readers.SharedSkills, ".openclaw/skills")(host)
}

// roots are pi's folder of sessions, and the one that its settings name.
func roots(host readers.Host) []string {
	agent := agentFolder(host)
	list := []string{filepath.Join(agent, "sessions")}
	if folder := sessionDir(filepath.Join(agent, "settings.json")); strings.HasPrefix(folder, "~/") {
		list = append(list, filepath.Join(host.Home, folder[2:]))
	} else if filepath.IsAbs(folder) {
		list = append(list, folder) // a relative one is another in each project
	}
	return list
}

// sessionDir is the folder that a file of settings names; empty for none.
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

// isLog takes the sessions. OpenClaw gives those that were reset or deleted
// another name, and keeps a record of its runs beside them, which repeats them.
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
