// Package openclaw reads the sessions of OpenClaw: the database that each agent has, the
// approvals in the database that all agents share, and the files of lines that older
// versions kept. README.md says what becomes of each kind of record, FORMAT.md what the
// records are. The package pilines reads the lines.
package openclaw

import (
	_ "embed" // fields.txt

	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// Reader reads the sessions of OpenClaw 2026.9, and the lines of older versions.
var Reader = &readers.Reader{
	Agent:    "openclaw",
	Title:    "OpenClaw",
	Version:  3,
	Env:      "OPENCLAW_STATE_DIR",
	Roots:    roots,
	Under:    []string{"agents/*/agent", "agents/*/sessions", "*/agent", "*/sessions", "state"}, // a root may be the folder agents
	IsLog:    isLog,
	With:     sqlite.With,
	Read:     read,
	Parts:    partsOf,
	Records:  records,
	Fields:   readers.Fields(fields),
	Tested:   "2026.9.6",
	Versions: "2026.9.6; the files of lines before 2026.8, and the folders `~/.clawdbot` and `~/.moltbot`, are assumed: none was seen",
	Kept: "A deleted session stays as an archive, in the database and beside it. " +
		"OpenClaw's own maintenance, `session.maintenance` of its settings, may delete old ones.",
	Servers:  clawServers,
	Settings: settings,
	Skills:   readers.SkillFolders{User: skills, Project: []string{readers.SharedSkills, "skills"}},
}

// Readers returns the readers of this package.
func Readers() []*readers.Reader { return []*readers.Reader{Reader} }

//go:embed fields.txt
var fields string

func read(in *readers.Input) error {
	switch {
	case isAgentDatabase(in.Rel) && in.Part == "":
		return readTables(in, agentTables)
	case isAgentDatabase(in.Rel):
		return readWindow(in)
	case isStateDatabase(in.Rel) && in.Part == "":
		return readTables(in, stateTables)
	case isStateDatabase(in.Rel):
		return readApproval(in)
	}
	return readFile(in)
}

func partsOf(in *readers.Input) ([]readers.Part, error) {
	switch {
	case isAgentDatabase(in.Rel):
		return windows(in)
	case isStateDatabase(in.Rel):
		return approvals(in)
	}
	return nil, nil
}
