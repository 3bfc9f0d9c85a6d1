// Package codex reads the logs of OpenAI's Codex CLI and of the editors and apps built
// on it: rollouts (one session's log file) in all four formats, and the prompt history.
// README.md describes how each kind of record becomes rows. FORMAT.md describes the
// format; comments cite its sections.
//
// Comments use these words: an item is a response_item line, or an object with a type
// in an item_completed event. An event is an event_msg line. A session's head is its
// session_meta line. A script is JavaScript that the model wrote and that makes tool
// calls (Codex's code mode). A frame is the lines that Codex writes before a tool's own
// output, for example "Exit code: 0".
package codex

import (
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/readers/zstd"
)

// Reader reads the logs of Codex, versions 0.0.2505 to 0.169.
var Reader = &readers.Reader{
	Agent:     "codex",
	Title:     "Codex",
	Version:   5,
	Env:       "CODEX_HOME",
	Roots:     func(host readers.Host) []string { return []string{filepath.Join(host.Home, ".codex")} },
	Under:     []string{"sessions", "archived_sessions", historyFile, indexFile},
	IsLog:     isLog,
	Read:      read,
	Records:   readers.Says("refusals? refused-diffs rule-refusals grants? machine-grants~ waits cascades~ interruptions? partial-output system-stops? compactions compaction-tokens? compaction-triggers~ summaries clears~ prompts branches forks subagents tokens thinking exit-codes versions git-branches"),
	Fields:    readers.Fields(fields),
	Versions:  "0.0.2505 to 0.169",
	Kept:      "Until you delete them. After a week they may be compressed; archived ones lie in another folder of the same root.",
	Tested:    "0.169.0",
	Worktrees: []string{"~/.codex/worktrees/NAME/REPO"},
	Servers:   servers,
	Resume:    "codex resume ID",
	// Codex's own folder, $CODEX_HOME/skills, is deprecated (openai/codex,
	// codex-rs/core-skills/src/loader.rs, skill_roots_from_layer_stack_inner).
	Skills: readers.SkillFolders{User: readers.HomeFolders(readers.SharedSkills), Project: []string{readers.SharedSkills}},
}

//go:embed fields.txt
var fields string

const (
	historyFile = "history.jsonl"
	indexFile   = "session_index.jsonl"
	compressed  = ".zst"
)

// rolloutName matches a rollout's file name. The id follows the local time, or the date
// in names of the TypeScript CLI (FORMAT.md §1).
var rolloutName = pattern.Lazy(`^rollout-(?:\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-)?(.+?)\.json(?:l|l\.zst)?$`)

func isLog(rel string) bool {
	return rel == historyFile || rel == indexFile || rolloutName.MatchString(path.Base(rel))
}

func read(in *readers.Input) error {
	switch {
	case in.Rel == historyFile:
		return readHistory(in)
	case in.Rel == indexFile:
		return readIndex(in)
	case strings.HasSuffix(in.Rel, ".json"):
		return readDocument(in)
	case strings.HasSuffix(in.Rel, compressed):
		return readCompressed(in)
	}
	return readRollout(in)
}

// readCompressed reads a compressed rollout. It skips the rollout if the plain file is
// in the same folder (FORMAT.md §1).
func readCompressed(in *readers.Input) error {
	if in.Exists(strings.TrimSuffix(in.Rel, compressed)) {
		return nil
	}
	return readRollout(zstd.Plain(in))
}

// servers: `codex mcp add` and `remove` of 0.169.0 were run (package @openai/codex of
// npm). Comments of config.toml stay, and an existing name is replaced. A running Codex
// changes single keys of the file as it finds it (openai/codex,
// codex-rs/core/src/config/edit.rs). Codex reads a repository's file only if the
// repository is trusted, which a run showed too.
var servers = readers.Servers{
	Add:         strings.Fields("codex mcp add NAME -- LINE"),
	Remove:      strings.Fields("codex mcp remove NAME"),
	Replaces:    true,
	User:        readers.UserServers(readers.HomeFolder("CODEX_HOME", ".codex"), "config.toml"),
	Project:     []string{".codex/config.toml"},
	Key:         []string{"mcp_servers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the repository is trusted",
}
