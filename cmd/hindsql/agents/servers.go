package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/agents/register"
	"hindsql/internal/atomicfile"
	"hindsql/readers"
)

// ServerName is what agents call the MCP server.
const ServerName = "hindsql"

// Servers lists where those agents read of servers, each file once: for an empty
// scope, of both.
func (h *Here) Servers(chosen []*readers.Reader, scope string) (list []register.Place) {
	for _, r := range chosen {
		if scope != Project {
			list = append(list, register.Users(r, h.Host, ServerName)...)
		}
		if scope == User || h.Tree == "" {
			continue
		}
		p, ok := register.InProject(r, h.Tree, ServerName)
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

// Untold says of which agents there is nowhere to tell of servers, a line each.
func Untold(chosen []*readers.Reader, scope string) (lines []string) {
	for _, r := range chosen {
		switch {
		case r.Servers.None != "":
			lines = append(lines, r.Title+": "+r.Servers.None)
		case r.Servers.User == nil:
			lines = append(lines, r.Title+": how it is told of MCP servers isn't known")
		case scope == Project && r.Servers.Project == nil:
			lines = append(lines, r.Title+": a repository has no settings of it that list MCP servers")
		}
	}
	return lines
}

// OnPath says that PATH leads to a program.
func OnPath(program string) bool { _, err := exec.LookPath(program); return err == nil }

// HasCommand says that an agent has a command of its own for servers, which is on
// PATH.
func HasCommand(r *readers.Reader) bool {
	return r.Servers.Add != nil && OnPath(r.Servers.Add[0])
}

// Withdrawals are the plans that take the server back from those places.
func Withdrawals(places []register.Place) (plans []register.Plan) {
	for _, p := range places {
		if plan := p.Uninstall(ServerName, OnPath); !plan.Idle() && (p.Err == nil || !p.ReadOnly) {
			plans = append(plans, plan)
		}
	}
	return plans
}

// Program is where this program lies: a link to it that PATH leads to, which stays
// when the program is replaced, else its own path. A name that PATH leads to holds
// on other machines, too.
func Program(portable bool) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath(ServerName)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	switch {
	case err != nil || atomicfile.Real(found) != atomicfile.Real(own):
		return own, nil //nolint:nilerr // PATH need not lead here
	case portable:
		return ServerName, nil
	}
	return found, nil
}

// RootFlags are flags that say of logs what variables of this shell do, for agents
// that start a server without them: of an agent whose logs flags name, and of one
// that has the same without the variables, none.
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

// present are the folders of an agent's logs that are there.
func present(r *readers.Reader, host readers.Host) (paths []string) {
	for _, place := range r.Places(host, nil) {
		if _, err := os.Stat(place.Path); err == nil {
			paths = append(paths, place.Path)
		}
	}
	return paths
}

// ToPaste is what a person types, or puts where, to tell agents by hand.
func (h *Here) ToPaste(places []register.Place, server register.Server) string {
	var parts []string
	for _, p := range places {
		if text, shell := register.Paste(p, &server, server.Name); shell {
			parts = append(parts, fmt.Sprintf("# %s\n%s\n", p.Agent.Title, text))
		} else {
			parts = append(parts, fmt.Sprintf("# %s: in %s\n%s\n", p.Title(), h.Short(p.Path), text))
		}
	}
	return strings.Join(parts, "\n")
}
