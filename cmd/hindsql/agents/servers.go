package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/agents/register"
	"hindsql/internal/atomicfile"
	"hindsql/readers"
)

// Servers returns the settings files in which the chosen agents list MCP servers, each
// file once even if several agents read it. An empty scope means both scopes.
func (h *Here) Servers(chosen []*readers.Reader, scope string) (list []register.Place) {
	for _, r := range chosen {
		if scope != Project {
			list = append(list, register.Users(r, h.Host)...)
		}
		if scope == User || h.Tree == "" {
			continue
		}
		p, ok := register.InProject(r, h.Tree)
		i := slices.IndexFunc(list, func(other register.Place) bool { return other.Path == p.Path })
		switch {
		case ok && i < 0:
			list = append(list, p)
		case ok:
			list[i].Also = append(list[i].Also, r)
		}
	}
	return list
}

// Untold returns a line for each chosen agent without settings that list MCP servers.
func Untold(chosen []*readers.Reader, scope string) (lines []string) {
	for _, r := range chosen {
		switch {
		case r.Servers.None != "":
			lines = append(lines, r.Title+": "+r.Servers.None)
		case scope == Project && r.Servers.Project == nil:
			lines = append(lines, r.Title+": a repository has no settings of it that list MCP servers")
		}
	}
	return lines
}

// HasCommand reports whether the agent's own command for adding servers is on PATH.
func HasCommand(r *readers.Reader) bool {
	return r.Servers.Add != nil && register.OnPath(r.Servers.Add[0])
}

// Withdrawals returns plans to remove the server from the places that have it or can't
// be read.
func Withdrawals(places []register.Place) (plans []register.Plan) {
	for _, p := range places {
		if plan := p.Uninstall(); !plan.Done {
			plans = append(plans, plan)
		}
	}
	return plans
}

// Program returns the path of this program. If PATH leads to a link to the program,
// Program returns the link's path, which stays valid when an update replaces the
// program. If portable is set and PATH leads to the program, it returns only the name,
// which is valid on other machines, too.
func Program(portable bool) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath(register.ServerName)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	switch {
	case err != nil || atomicfile.Real(found) != atomicfile.Real(own):
		return own, nil //nolint:nilerr // PATH need not lead to this program
	case portable:
		return register.ServerName, nil
	}
	return found, nil
}

// RootFlags returns --root flags for log folders that hindsql finds only by environment
// variables of this shell. Agents start the MCP server without those variables. An
// agent gets no flag if the user's own --root flags name its logs, or if its folders
// don't depend on variables.
func (h *Here) RootFlags() (flags []string) {
	bare := h.Host
	bare.Getenv = func(string) string { return "" }
	for _, r := range h.Readers {
		if h.Roots[r.Agent] != nil {
			continue
		}
		paths := present(r, h.Host)
		if slices.Equal(paths, present(r, bare)) {
			continue
		}
		for _, path := range paths {
			flags = append(flags, "--root", r.Agent+"="+path)
		}
	}
	return flags
}

// present returns the existing log folders of an agent.
func present(r *readers.Reader, host readers.Host) (paths []string) {
	for _, place := range r.Places(host, nil) {
		if _, err := os.Stat(place.Path); err == nil {
			paths = append(paths, place.Path)
		}
	}
	return paths
}

// ToPaste returns the commands to type, or the parts of settings files, by which the
// user can register the server.
func (h *Here) ToPaste(places []register.Place, server register.Server) string {
	var parts []string
	for _, p := range places {
		plan := p.Install(server)
		if typed, entry := plan.ByHand(); typed != "" {
			parts = append(parts, "# "+p.Title()+"\n"+typed)
		} else {
			parts = append(parts, "# "+p.Title()+": in "+h.Short(p.Path)+"\n"+entry)
		}
	}
	return strings.Join(parts, "\n")
}
