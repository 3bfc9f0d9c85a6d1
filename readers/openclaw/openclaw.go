// Package openclaw reads the sessions of OpenClaw: the database that each agent has, the
// approvals in the database that all agents share, and the files of lines that older
// versions kept. README.md says what becomes of each kind of record, FORMAT.md what the
// records are. The package pilines reads the lines.
package openclaw

import (
	_ "embed" // fields.txt

	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
)

// Reader reads the sessions of OpenClaw 2026.9, and the lines of older versions.
var Reader = &readers.Reader{
	Agent:   "openclaw",
	Title:   "OpenClaw",
	Version: 3,
	Env:     "OPENCLAW_STATE_DIR",
	Roots:   roots,
	Under:   []string{"agents/*/agent", "agents/*/sessions", "*/agent", "*/sessions", "state"}, // a root may be the folder agents
	IsLog:   isLog,
	With:    sqlite.With,
	Read:    read,
	Parts:   partsOf, PartsOnly: true,
	Records:  readers.Says(pilines.Facts + "grants clears subagents versions compaction-tokens~ compaction-triggers~"),
	Fields:   readers.Fields(fields),
	Tested:   "2026.9.6",
	Versions: "2026.9.6; the files of lines before 2026.8, and the folders `~/.clawdbot` and `~/.moltbot`, are assumed: none was seen",
	Kept: "A deleted session stays as an archive, in the database and beside it. " +
		"OpenClaw's own maintenance, `session.maintenance` of its settings, may delete old ones.",
	Servers:  clawServers,
	Settings: settings,
	Skills:   readers.SkillFolders{User: skills, Project: []string{readers.SharedSkills, "skills"}},
}

//go:embed fields.txt
var fields string

func read(in *readers.Input) error {
	switch {
	case isLines(in.Rel):
		return readFile(in)
	case in.Part == "":
		return nil // its parts have it all
	case in.Part == tablesPart:
		return readTables(in)
	case isAgentDatabase(in.Rel):
		return readWindow(in)
	}
	return readApproval(in)
}

func partsOf(in *readers.Input) (parts []readers.Part, err error) {
	switch {
	case isAgentDatabase(in.Rel):
		err = sqlite.View(in, func(db *sqlite.DB) error {
			parts, err = windows(db)
			parts = append(parts, tablesOf(db, agentTables))
			return err
		})
	case isStateDatabase(in.Rel):
		err = sqlite.View(in, func(db *sqlite.DB) error {
			parts, err = approvals(db)
			parts = append(parts, tablesOf(db, stateTables))
			return err
		})
	}
	return parts, err
}
