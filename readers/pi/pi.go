// Package pi reads the logs of pi, and of programs with the same format: oh-my-pi,
// Prime and OpenClaw. README.md describes the rows, FORMAT.md the records.
package pi

import (
	"cmp"
	_ "embed" // fields.txt

	"hindsql/readers"
)

// Reader reads the logs of pi, formats 1 to 3.
var Reader = reader(kin{
	agent: "pi", title: "pi", versions: "0.6x to 0.73.1, and made-up ones of formats 1 and 2", env: "PI_CODING_AGENT_SESSION_DIR",
	roots: roots, resume: "pi --session ID", settings: settings,
	skills:  readers.SkillFolders{User: skills, Project: []string{readers.SharedSkills, ".pi/skills"}},
	servers: readers.Servers{None: noServers},
})

// OhMyPi reads the logs of oh-my-pi, a fork of pi that asks for permission, and has
// subagents and a /clear.
var OhMyPi = reader(kin{
	agent: "omp", title: "oh-my-pi", versions: "18.2.3, and made-up ones after its source of 2026", asks: true,
	also: map[readers.Fact]readers.Extent{
		readers.CompactionTokens: readers.Recorded | readers.Inferred, readers.Clears: readers.Recorded, readers.Subagents: readers.Recorded,
	},
	roots: below(".omp", "agent", "sessions"), resume: "omp --resume ID", settings: below(".omp", "agent"),
	// can1357/oh-my-pi, docs/skills.md.
	skills: readers.SkillFolders{
		User:    readers.HomeFolders(readers.SharedSkills, ".claude/skills", ".omp/agent/skills"),
		Project: []string{readers.SharedSkills, ".claude/skills", ".omp/skills"},
	},
	servers: ompServers,
})

// Prime reads the logs of Prime.
var Prime = reader(kin{
	agent: "prime", title: "Prime", versions: assumed,
	roots: below(".prime", "agent", "sessions"), settings: below(".prime", "agent"),
	// PrimeIntellect-ai/prime-agent, packages/coding-agent/docs/skills.md.
	skills:  readers.SkillFolders{User: readers.HomeFolders(readers.SharedSkills), Project: []string{readers.SharedSkills}},
	servers: readers.Servers{None: noPrograms},
})

// OpenClaw reads the logs of OpenClaw, whose agents have a folder each.
var OpenClaw = reader(kin{
	agent: "openclaw", title: "OpenClaw", versions: assumed, under: "*/sessions", archives: true,
	kept:  "Its own maintenance, `session.maintenance` of its settings, may delete old ones.",
	roots: below(".openclaw", "agents"), settings: below(".openclaw"),
	skills:  readers.SkillFolders{User: clawSkills, Project: []string{readers.SharedSkills, "skills"}},
	servers: clawServers,
})

// Readers returns the readers of this package.
func Readers() []*readers.Reader { return []*readers.Reader{Reader, OhMyPi, Prime, OpenClaw} }

// assumed describes programs whose logs were never seen.
const assumed = "none: its format is said to be that of pi"

// version grows when the same bytes give other rows.
const version = 2

//go:embed fields.txt
var fields string

// kin holds the differences between the programs.
type kin struct {
	agent, title string
	versions     string // versions of the tested logs
	kept         string // how long logs live; empty if unknown
	env          string // variable with the folder of sessions
	roots        func(readers.Host) []string
	settings     func(readers.Host) []string     // folder of settings, above the sessions
	skills       readers.SkillFolders            // folders of skills
	under        string                          // folders of sessions below a root; empty if the root is one
	resume       string                          // command line to resume a session, see readers.Reader; empty if unknown
	asks         bool                            // the program itself asks for permission: see asked
	archives     bool                            // reset or deleted sessions are kept under another name
	servers      readers.Servers                 // configuration of MCP servers
	also         map[readers.Fact]readers.Extent // facts that its logs record and pi's don't
}

func reader(k kin) *readers.Reader {
	return &readers.Reader{
		Agent:    k.agent,
		Title:    k.title,
		Version:  version,
		Env:      k.env,
		Roots:    k.roots,
		Under:    []string{cmp.Or(k.under, "*")},
		IsLog:    func(rel string) bool { return isLog(rel, k.archives) },
		Read:     func(in *readers.Input) error { return read(in, k.asks) },
		Records:  records(k.also),
		Fields:   readers.Fields(fields),
		Versions: k.versions,
		Servers:  k.servers,
		Resume:   k.resume,
		Settings: k.settings,
		Skills:   k.skills,
		Kept:     cmp.Or(k.kept, "No version is known to delete any."),
	}
}
