// Package claude reads the logs of Claude Code: the transcripts under
// projects/ and the prompt history. FORMAT.md says what is on the disk, README.md
// what becomes of each kind of record.
package claude

import (
	"cmp"
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// Reader reads the logs of Claude Code, versions 1.0.17 to 2.1.330.
var Reader = &readers.Reader{
	Agent:     "claude",
	Title:     "Claude Code",
	Version:   3,
	Env:       "CLAUDE_CONFIG_DIR",
	Roots:     roots,
	Under:     append([]string{"projects", historyFile}, coworkProjects()...),
	IsLog:     isLog,
	Read:      read,
	Records:   records,
	Fields:    readers.Fields(fields),
	Versions:  "1.0.17 to 2.1.330",
	Kept:      "Transcripts are deleted after 30 days, or after `cleanupPeriodDays` of its settings. The history of prompts lives longer.",
	Tested:    "2.1.330",
	Worktrees: []string{"REPO/.claude/worktrees/NAME"},
	Retention: retention,
	Servers:   servers,
	Resume:    "claude --resume ID",
	Skills:    readers.SkillFolders{User: skills, Project: []string{".claude/skills"}},
}

// Readers are those of the agents that this package knows.
func Readers() []*readers.Reader { return []*readers.Reader{Reader} }

//go:embed fields.txt
var fields string

const historyFile = "history.jsonl"

// roots are ~/.claude, where some set-ups keep it on every kind of machine, and
// Claude Desktop's data.
func roots(host readers.Host) []string {
	return append([]string{filepath.Join(host.Home, ".claude"), filepath.Join(host.XDGConfig(), "claude")}, desktopRoots(host)...)
}

// skills is the folder of a user's skills: that of CLAUDE_CONFIG_DIR, or
// ~/.claude/skills (code.claude.com/docs, "Skills"; DataDog/pup#622 for the
// variable). The shared folder is not read (anthropics/claude-code#22902).
func skills(host readers.Host) []string {
	config, _, _ := strings.Cut(host.Getenv("CLAUDE_CONFIG_DIR"), ",")
	return []string{filepath.Join(cmp.Or(strings.TrimSpace(config), filepath.Join(host.Home, ".claude")), "skills")}
}

// isLog takes every transcript. A workflow's journal.jsonl repeats what its
// agents' transcripts hold.
func isLog(rel string) bool {
	if strings.HasPrefix(rel, coworkFolder+"/") && !isCoworkLog(rel) {
		return false
	}
	return strings.HasSuffix(rel, ".jsonl") && path.Base(rel) != "journal.jsonl"
}

func read(in *readers.Input) error {
	if path.Base(in.Rel) == historyFile {
		return readHistory(in)
	}
	return readTranscript(in)
}
