// Package claude reads the logs of Claude Code: the transcripts under
// projects/ and the prompt history. FORMAT.md says what is on the disk, README.md
// what becomes of each kind of record.
package claude

import (
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
	Version:   2,
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
	Resume:    "claude --resume ID",
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
