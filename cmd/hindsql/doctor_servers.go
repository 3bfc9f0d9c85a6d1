package main

import (
	"os/exec"

	"hindsql/readers"
	"hindsql/register"
)

// lookAtServers tells which agents start the MCP server, and whether what they
// start is there.
func lookAtServers(w *world, from *where) (found []finding) {
	roots, _ := rootsByAgent(w, from)
	here := func(r *readers.Reader) bool { return r.Servers.User != nil && r.IsHere(w.host(), roots[r.Agent]) }
	might := false
	for _, p := range serverPlaces(w, w.readers, "") {
		might = might || here(p.Agent)
		switch {
		case p.Present:
			found = append(found, lookAtServer(w, p))
		case p.Err != nil && !p.ReadOnly && (p.Project || here(p.Agent)):
			found = append(found, finding{stateLook, "mcp", p.Title() + ": its settings can't be read: " + shortIn(w, p.Err.Error()), ""})
		}
	}
	if found == nil && might {
		return []finding{{stateOK, "mcp", "no agent is told of hindsql mcp", "hindsql mcp install tells them"}}
	}
	return found
}

func lookAtServer(w *world, p register.Place) finding {
	in := " (" + w.short(p.Path) + ")"
	if p.Line == nil {
		return finding{stateOK, "mcp", p.Title() + " has a server of that name that is no program" + in, ""}
	}
	f := finding{stateOK, "mcp", p.Title() + " starts " + register.Shell(p.Line) + in, ""}
	if _, err := exec.LookPath(p.Line[0]); err != nil {
		f = finding{stateLook, "mcp", f.what + ", which is not there", "hindsql mcp install --agent " + p.Agent.Agent}
		if p.Project {
			f.do += " --scope project"
		}
	}
	return f
}
