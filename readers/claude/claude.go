// Package claude reads the logs of Claude Code: the transcripts under projects/ and the
// prompt history. FORMAT.md describes the files, README.md how each kind of record
// becomes rows.
//
// Comments use these words: a marker is the line "[Request interrupted by user]" or
// "[Request interrupted by user for tool use]", which Claude Code writes when the user
// presses Esc. A batch is the tool calls of one message of the model. A stamp is a
// field that Claude Code writes beside a tool's result, for example toolDenialKind. A
// frame is what Claude Code puts around a tool's own words, for example "Exit code 2"
// or <tool_use_error>.
package claude

import (
	_ "embed" // fields.txt
	"path"

	"hindsql/readers"
	"hindsql/readers/claudefiles"
)

// Reader reads the logs of Claude Code, versions 1.0.17 to 2.1.332.
var Reader = &readers.Reader{
	Agent:      "claude",
	Title:      "Claude Code",
	Version:    6,
	Env:        "CLAUDE_CONFIG_DIR",
	Roots:      claudefiles.Roots,
	Under:      claudefiles.Under(),
	IsLog:      claudefiles.IsLog,
	Companions: "sessions-index.json custom-title.json *.meta.json journal.jsonl audit.jsonl memory/ tool-results/ session-memory/ workflows/",
	Appends:    true,
	NamedBy:    claudefiles.NamedBy,
	Read:       read,
	Records:    readers.ParseFacts("refusals? reasons refused-diffs rule-refusals? grants? machine-grants? waits cascades? interruptions? partial-output system-stops? compactions compaction-tokens compaction-triggers summaries clears prompts branches forks subagents tokens thinking exit-codes costs versions git-branches"),
	Fields:     readers.Fields(fields),
	Versions:   "1.0.17 to 2.1.332",
	Kept:       "Transcripts are deleted after 30 days, or after `cleanupPeriodDays` of its settings. The history of prompts lives longer.",
	Tested:     "2.1.332",
	Worktrees:  []string{"REPO/.claude/worktrees/NAME"},
	Retention:  claudefiles.Retention,
	Servers:    claudefiles.Servers,
	Resume:     "claude --resume ID",
	Skills:     readers.SkillFolders{User: claudefiles.Skills, Project: []string{".claude/skills"}},
}

//go:embed fields.txt
var fields string

func read(in *readers.Input) error {
	if path.Base(in.Rel) == claudefiles.HistoryFile {
		return claudefiles.ReadHistory(in)
	}
	return readTranscript(in)
}
