package doctor

import (
	"os/exec"
	"path/filepath"

	"hindsql/cmd/hindsql/agents"
	"hindsql/cmd/hindsql/agents/register"
	"hindsql/cmd/hindsql/agents/skills"
)

// Servers lists the agents that start the MCP server, and checks that the registered
// programs exist.
func Servers(in *agents.Here) (found []Finding) {
	might := false
	for _, p := range in.Servers(in.Readers, "") {
		might = might || in.Has(p.Agent)
		switch {
		case p.Present:
			found = append(found, lookAtServer(in, p))
		case p.Err != nil && (p.Project || in.Has(p.Agent)):
			found = append(found, Finding{Look, "mcp", p.Title() + ": its settings can't be read: " + in.ShortIn(p.Err.Error()), ""})
		}
	}
	if found == nil && might {
		return []Finding{{OK, "mcp", "no agent is told of hindsql mcp", "hindsql mcp install tells them"}}
	}
	return found
}

func lookAtServer(in *agents.Here, p register.Place) Finding {
	file := " (" + in.Short(p.Path) + ")"
	if p.Line == nil {
		return Finding{OK, "mcp", p.Title() + " has a server of that name that is no program" + file, ""}
	}
	f := Finding{OK, "mcp", p.Title() + " starts " + register.Shell(p.Line) + file, ""}
	if _, err := exec.LookPath(p.Line[0]); err != nil {
		f = Finding{Look, "mcp", f.What + ", which is not there", "hindsql mcp install --agent " + p.Agent.Agent}
		if p.Project {
			f.Do += " --scope project"
		}
	}
	return f
}

// Skills lists the installed skills.
func Skills(in *agents.Here) (found []Finding) {
	installed, err := in.Installed()
	if err != nil {
		return []Finding{{Look, "skills", err.Error(), ""}}
	}
	f := Finding{OK, "skills", "", ""}
	for _, p := range installed {
		if p.State == skills.Foreign {
			continue
		}
		if f.What != "" {
			f.What += "; "
		}
		f.What += in.Short(filepath.Dir(p.Path)) + ": " + string(p.State)
		if p.State == skills.Stale {
			f.State, f.Do = Look, "hindsql skill install brings them up to date, with --scope project those of this repository"
		}
	}
	if f.What == "" {
		return nil
	}
	return []Finding{f}
}
