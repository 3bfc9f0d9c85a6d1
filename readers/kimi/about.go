package kimi

import (
	"cmp"
	"path"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// about holds what the place of a wire, state.json and the first lines tell of the
// session.
type about struct {
	in      *readers.Input
	session tables.Session // complete only at the end
	extra   readers.Extra
	agent   string    // main, agent-0, …
	created time.Time // of the wire, by its first line
	origin  string    // session from which a fork has its first lines; empty if unknown
	copied  string    // session from which an agent has its first messages
	askedIn string    // session that the first dialog names
	side    bool      // the wire answers side questions (/btw)
}

// mainAgent is the agent that speaks with the user.
const mainAgent = "main"

// place reads the path of the wire: sessions/FOLDER/SESSION/agents/AGENT/wire.jsonl.
func (a *about) place() {
	folder := path.Dir(a.in.Rel)
	a.agent = path.Base(folder)
	a.session.SessionID, a.session.Kind = path.Base(a.folder()), tables.SessionMain
	if a.agent != mainAgent {
		a.session.Kind, a.session.ParentSessionID = tables.SessionSubagent, a.session.SessionID
		a.session.SessionID = a.sessionOf(a.agent)
		a.copied = a.sessionOf(mainAgent)
	}
}

// folder returns the session's folder.
func (a *about) folder() string { return path.Dir(path.Dir(path.Dir(a.in.Rel))) }

// sessionOf returns the id that the rows give to an agent of the session.
func (a *about) sessionOf(agent string) string {
	if agent == mainAgent {
		return path.Base(a.folder())
	}
	return path.Base(a.folder()) + "/" + agent
}

// readState reads state.json in the session's folder: what the wires don't tell of the
// session (FORMAT.md §1).
func (a *about) readState() {
	text, err := a.in.Beside(path.Join(a.folder(), stateFile))
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
		a.session.ParentSessionID = a.sessionOf(parent)
	}
	if from := readers.Text(agent, "forkedFrom"); from != "" { // no call started the agent
		a.side, a.copied = true, a.sessionOf(from)
	}
	a.extra.Text("swarm_item", readers.Text(agent, "labels", "swarmItem"))
	if a.origin != "" {
		a.origin += "/" + a.agent
	}
}

// metadata handles the first line.
func (a *about) metadata(v *fastjson.Value) {
	a.created = readers.Time(v.Get("created_at"))
	a.extra.Text("protocol", readers.Text(v, "protocol_version"))
}

// profile handles the agent's instructions, which name the working directory.
func (a *about) profile(v *fastjson.Value) {
	a.session.Project = cmp.Or(a.session.Project, readers.Folder(readers.Text(v, "environmentDisclosure", "cwd")))
	a.extra.Text("profile", readers.Text(v, "profileName"))
}

// phase returns the phase of a stop: in a subagent's wire always the subagent's, because
// its parent has the same keypress.
func (a *about) phase(own string) string {
	if a.agent != mainAgent && !a.side {
		return tables.PhaseSubagent
	}
	return own
}
