// Package pi reads the logs of pi, and of the programs that keep their sessions
// as it does: oh-my-pi, Prime and OpenClaw. README.md says what becomes of each
// kind of record, FORMAT.md what the records are.
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

// OhMyPi reads those of oh-my-pi, a fork of pi that asks for permission, and
// has subagents and a /clear.
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

// Prime reads those of Prime.
var Prime = reader(kin{
	agent: "prime", title: "Prime", versions: assumed,
	roots: below(".prime", "agent", "sessions"), settings: below(".prime", "agent"),
	// PrimeIntellect-ai/prime-agent, packages/coding-agent/docs/skills.md.
	skills:  readers.SkillFolders{User: readers.HomeFolders(readers.SharedSkills), Project: []string{readers.SharedSkills}},
	servers: readers.Servers{None: noPrograms},
})

// OpenClaw reads those of OpenClaw, whose agents have a folder each.
var OpenClaw = reader(kin{
	agent: "openclaw", title: "OpenClaw", versions: assumed, under: "*/sessions", archives: true,
	kept:  "Its own maintenance, `session.maintenance` of its settings, may delete old ones.",
	roots: below(".openclaw", "agents"), settings: below(".openclaw"),
	skills:  readers.SkillFolders{User: clawSkills, Project: []string{readers.SharedSkills, "skills"}},
	servers: clawServers,
})

// Readers are those of the agents that this package knows.
func Readers() []*readers.Reader { return []*readers.Reader{Reader, OhMyPi, Prime, OpenClaw} }

// assumed is said of programs of which no log was seen.
const assumed = "none: its format is said to be that of pi"

// version is raised whenever the same bytes give other rows.
const version = 2

//go:embed fields.txt
var fields string

// kin is what tells one of the programs from the others.
type kin struct {
	agent, title string
	versions     string // whose logs were tested
	kept         string // how long they live, where that is known
	env          string // the variable that names the folder of sessions
	roots        func(readers.Host) []string
	settings     func(readers.Host) []string     // the folder of its settings, above its sessions
	skills       readers.SkillFolders            // where it looks for skills
	under        string                          // the folders of sessions below a root; empty: it is one itself
	resume       string                          // the command line that goes on with a session, see readers.Reader; empty: not known
	asks         bool                            // it asks for permission by itself: see asked
	archives     bool                            // sessions that were reset or deleted are kept under another name
	servers      readers.Servers                 // how it is told of MCP servers
	also         map[readers.Fact]readers.Extent // what its logs record beside what pi's do
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
