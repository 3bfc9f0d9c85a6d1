// Package pi reads the logs of pi, and of programs with the same format: oh-my-pi and
// Prime. README.md describes the rows, FORMAT.md the records. The package
// pilines reads the lines.
package pi

import (
	_ "embed" // fields.txt

	"hindsql/readers"
	"hindsql/readers/pilines"
)

// Reader reads the logs of pi, formats 1 to 3.
var Reader = pilines.New(pilines.Kin{
	Agent: "pi", Title: "pi", Version: version, Env: "PI_CODING_AGENT_SESSION_DIR",
	Versions: "0.6x to 0.73.1 of @mariozechner/pi-coding-agent, 1.5.2 of @earendil-works/pi-coding-agent, which is pi since 0.74, and made-up ones of formats 1 and 2",
	Also:     "reasons compaction-triggers~",
	Roots:    roots, Resume: "pi --session ID", Settings: settings, Fields: readers.Fields(fields),
	Skills:  readers.SkillFolders{User: skills, Project: []string{readers.SharedSkills, ".pi/skills"}},
	Servers: readers.Servers{None: noServers},
})

// OhMyPi reads the logs of oh-my-pi, a fork of pi that asks for permission, and has
// subagents and a /clear.
var OhMyPi = pilines.New(pilines.Kin{
	Agent: "omp", Title: "oh-my-pi", Version: version, Versions: "18.2.3, made-up ones after its source of 2026, and the source of 18.3.4, which writes the same lines",
	Options: pilines.Options{Asks: true},
	Also:    "compaction-tokens? clears subagents",
	Roots:   below(".omp", "agent", "sessions"), Resume: "omp --resume ID", Settings: below(".omp", "agent"), Fields: readers.Fields(fields),
	// can1357/oh-my-pi, docs/skills.md.
	Skills: readers.SkillFolders{
		User:    readers.HomeFolders(readers.SharedSkills, ".claude/skills", ".omp/agent/skills"),
		Project: []string{readers.SharedSkills, ".claude/skills", ".omp/skills"},
	},
	Servers: ompServers,
})

// Prime reads the logs of Prime.
var Prime = pilines.New(pilines.Kin{
	Agent: "prime", Title: "Prime", Version: version, Versions: assumed,
	Roots: below(".prime", "agent", "sessions"), Settings: below(".prime", "agent"), Fields: readers.Fields(fields),
	// PrimeIntellect-ai/prime-agent, packages/coding-agent/docs/skills.md.
	Skills:  readers.SkillFolders{User: readers.HomeFolders(readers.SharedSkills), Project: []string{readers.SharedSkills}},
	Servers: readers.Servers{None: noPrograms},
})

// assumed describes programs whose logs were never seen.
const assumed = "none: its format is said to be that of pi"

// version grows when the same bytes give other rows.
const version = 3

//go:embed fields.txt
var fields string
