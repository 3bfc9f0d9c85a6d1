package kimi

import (
	"cmp"
	"path"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// sessionFacts holds what the place of a wire, state.json and the first lines say of the
// session.
type sessionFacts struct {
	in            *readers.Input
	session       tables.Session // complete only at the end
	extra         readers.Extra
	agent         string    // main, agent-0, …
	created       time.Time // of the wire, by its first line
	origin        string    // session from which a fork has its first lines; empty if unknown
	copiedFrom    string    // session from which an agent has its first messages
	dialogSession string    // session that the first dialog names
	isSide        bool      // the wire answers side questions (/btw)
}

// mainAgent is the agent that speaks with the user.
const mainAgent = "main"

// readPath reads the path of the wire: sessions/FOLDER/SESSION/agents/AGENT/wire.jsonl.
func (a *sessionFacts) readPath() {
	folder := path.Dir(a.in.Rel)
	a.agent = path.Base(folder)
	a.session.SessionID, a.session.Kind = path.Base(a.folder()), tables.SessionMain
	if a.agent != mainAgent {
		a.session.Kind, a.session.ParentSessionID = tables.SessionSubagent, a.session.SessionID
		a.session.SessionID = a.agentSessionID(a.agent)
		a.copiedFrom = a.agentSessionID(mainAgent)
	}
}

// folder returns the session's folder.
func (a *sessionFacts) folder() string { return path.Dir(path.Dir(path.Dir(a.in.Rel))) }

// agentSessionID returns the id that the rows give to an agent of the session.
func (a *sessionFacts) agentSessionID(agent string) string {
	if agent == mainAgent {
		return path.Base(a.folder())
	}
	return path.Base(a.folder()) + "/" + agent
}

// readState reads state.json in the session's folder: what the wires don't say of the
// session (FORMAT.md §1).
func (a *sessionFacts) readState() {
	text, err := a.in.ReadFile(path.Join(a.folder(), stateFile))
	if err != nil {
		return
	}
	v, err := fastjson.ParseBytes(text)
	if err != nil {
		return // the agent writes the file again with each turn
	}
	a.session.Project = readers.Folder(readers.Text(v, "cwd"))
	a.origin = readers.Text(v, "forkedFrom")
	if a.agent == mainAgent {
		a.session.Title, a.session.ForkedFrom = readers.Text(v, "title"), a.origin
		a.extra.Flag("archived", readers.Bool(v, "archived"))
		return
	}
	agent := v.Get("agents", a.agent)
	if parent := readers.Text(agent, "parentAgentId"); parent != "" {
		a.session.ParentSessionID = a.agentSessionID(parent)
	}
	if from := readers.Text(agent, "forkedFrom"); from != "" { // no call started the agent
		a.isSide, a.copiedFrom = true, a.agentSessionID(from)
	}
	a.extra.Text("swarm_item", readers.Text(agent, "labels", "swarmItem"))
	if a.origin != "" {
		a.origin += "/" + a.agent
	}
}

// readMetadata handles the first line.
func (a *sessionFacts) readMetadata(v *fastjson.Value) {
	a.created = readers.Time(v.Get("created_at"))
	a.extra.Text("protocol", readers.Text(v, "protocol_version"))
}

// readProfile handles the agent's instructions, which name the working directory.
func (a *sessionFacts) readProfile(v *fastjson.Value) {
	a.session.Project = cmp.Or(a.session.Project, readers.Folder(readers.Text(v, "environmentDisclosure", "cwd")))
	a.extra.Text("profile", readers.Text(v, "profileName"))
}

// stopPhase returns the phase of a stop: in a subagent's wire always the subagent's,
// because its parent has the same keypress.
func (a *sessionFacts) stopPhase(own string) string {
	if a.agent != mainAgent && !a.isSide {
		return tables.PhaseSubagent
	}
	return own
}
