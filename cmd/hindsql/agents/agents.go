// Package agents decides how to tell the coding agents on this machine about hindsql:
// which agents are installed, which settings files list the MCP server, and which
// folders get skills.
//
// The input is a [Machine], with the readers of its agents. The output is places, plans
// and messages for the user. The package never prompts the user. Package register calls
// the agents' own commands, and package skills writes files, when a caller says so.
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
	"hindsql/internal/lists"
	"hindsql/internal/suggest"
	"hindsql/readers"
)

// Machine describes the machine and the places to look for agents.
type Machine struct {
	Host    readers.Host
	Readers []*readers.Reader
	Roots   map[string][]string // log folders given by flags, by agent
	Folder  string              // the current folder
	Tree    string              // root of the current repository or worktree; empty if none
}

// Named returns the readers of the named agents; all readers if names is empty.
func (h *Machine) Named(names []string) ([]*readers.Reader, error) {
	if len(names) == 0 {
		return h.Readers, nil
	}
	known := lists.Map(h.Readers, func(r *readers.Reader) string { return r.Agent })
	var list []*readers.Reader
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("--agent %s: unknown%s", name, suggest.Ask(name, known, "one of "+strings.Join(known, ", ")))
		}
		list = append(list, h.Readers[i])
	}
	return list, nil
}

// Choose returns the readers of the named agents. Without names, it returns the agents
// used on this machine, and the agents for which also returns true; also may be nil.
// The error for no agent begins with command, and lists the missing folders.
func (h *Machine) Choose(command string, names []string, also func(*readers.Reader) bool) (list []*readers.Reader, err error) {
	if len(names) > 0 {
		return h.Named(names)
	}
	var missing []string
	for _, r := range h.Readers {
		switch places := r.Places(h.Host, h.Roots[r.Agent]); {
		case h.IsUsed(r), also != nil && also(r):
			list = append(list, r)
		case len(places) > 0:
			missing = append(missing, r.Agent+" ("+h.Short(places[0].Path)+")")
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s: no agent is found here, none of these folders is there: %s; --agent NAME is for one all the same", command, strings.Join(missing, ", "))
	}
	return list, nil
}

// IsUsed reports whether an agent is used on this machine.
func (h *Machine) IsUsed(r *readers.Reader) bool { return r.IsUsed(h.Host, h.Roots[r.Agent]) }

// Short returns a path for people, with ~ for the home folder.
func (h *Machine) Short(path string) string { return atomicfile.Short(h.Host.Home, path) }

// ShortIn shortens the home folder everywhere in a text.
func (h *Machine) ShortIn(text string) string {
	if h.Host.Home == "" {
		return text
	}
	return strings.ReplaceAll(text, h.Host.Home+"/", "~/")
}

// The scopes of settings and skills.
const (
	User    = "user"    // in all of a user's projects
	Project = "project" // in the current repository
)

// Scopes returns the names of both scopes.
func Scopes() []string { return []string{User, Project} }

// OutsideLink is a link in a repository that leads out of the repository. Target is the
// end of the path with the link.
type OutsideLink struct{ Link, Target string }

// Outside returns the first link of a path that leads out of the current repository. It
// returns false for a path inside the repository, and for a path that begins outside.
func (h *Machine) Outside(path string) (OutsideLink, bool) {
	below, err := filepath.Rel(h.Tree, path)
	if h.Tree == "" || err != nil || !filepath.IsLocal(below) {
		return OutsideLink{}, false
	}
	tree, link := atomicfile.Real(h.Tree), h.Tree
	for name := range strings.SplitSeq(below, string(filepath.Separator)) {
		link = filepath.Join(link, name)
		real := atomicfile.Real(link)
		inside, err := filepath.Rel(tree, real)
		if err == nil && filepath.IsLocal(inside) {
			continue
		}
		end := atomicfile.Real(path)
		if rest, _ := filepath.Rel(link, path); end == filepath.Join(real, rest) {
			end = real // the rest of the path has no link
		}
		return OutsideLink{link, end}, true
	}
	return OutsideLink{}, false
}

// Links decides whether links that lead out of the repository are followed. --yes
// doesn't decide, because other people make a repository's links.
type Links struct {
	Machine *Machine
	Ask     func(question string) bool // nil without a terminal
	Warn    func(format string, args ...any)
	asked   map[OutsideLink]bool
}

// MayWrite reports whether to write to a path. It asks only if a link of the path leads out
// of the repository, once for each link and target.
func (l *Links) MayWrite(path string) bool {
	way, leads := l.Machine.Outside(path)
	if !leads {
		return true
	}
	if may, ok := l.asked[way]; ok {
		return may
	}
	if l.asked == nil {
		l.asked = map[OutsideLink]bool{}
	}
	says := l.Machine.Short(way.Link) + " leads out of the repository, to " + l.Machine.Short(way.Target)
	if l.Ask == nil {
		l.Warn("%s: not written; --yes doesn't cover such a link, rerun in a terminal to be asked", says)
	}
	l.asked[way] = l.Ask != nil && l.Ask("\n"+says+".\nWrite there? [y/N] ")
	return l.asked[way]
}

// Proposal describes what a plan would do, in whole lines.
func (h *Machine) Proposal(plan *register.Plan) string {
	text := plan.Place.Title()
	switch {
	case plan.Done:
		return fmt.Sprintf("%s: registered already, in %s\n", text, h.Short(plan.Place.Path))
	case !plan.Calls():
		return h.ByHand(plan)
	}
	text += ": by its own command"
	if plan.Place.Line != nil && plan.Server != nil {
		text += ", instead of " + register.Shell(plan.Place.Line)
	}
	typed, _ := plan.ByHand()
	return text + "\n" + Inset(typed)
}

// ByHand tells the user how to do a plan's work.
func (h *Machine) ByHand(plan *register.Plan) string {
	file := h.Short(plan.Place.Path)
	typed, entry := plan.ByHand()
	text := plan.Place.Title() + ": "
	if typed != "" {
		text += "type\n" + Inset(typed) + "or "
	}
	switch {
	case plan.Server == nil:
		return text + "take " + plan.Key() + " out of " + file + "\n"
	case plan.Place.Present:
		text += "put this into " + file + ", in place of its " + plan.Key()
	default:
		text += "put this into " + file
	}
	if note := registrationNote(plan); note != "" {
		text += "; " + note
	}
	return text + "\n" + Inset(entry)
}

// Failure says why a plan can't be, or wasn't, carried out by the agent's commands.
func (h *Machine) Failure(plan *register.Plan, why error) string {
	return plan.Place.Title() + ": " + h.ShortIn(why.Error())
}

// Success says that a plan was carried out, and adds the agent's note.
func (h *Machine) Success(plan *register.Plan) string {
	how := "registered"
	if plan.Server == nil {
		how = "no longer registered"
	}
	text := fmt.Sprintf("%s: %s in %s", plan.Place.Title(), how, h.Short(plan.Place.Path))
	if note := registrationNote(plan); note != "" && plan.Server != nil {
		text += "; " + note
	}
	return text
}

// registrationNote returns the agents' notes about a new registration; empty if none.
func registrationNote(plan *register.Plan) string {
	if !plan.Place.Project {
		return plan.Place.Agent.Servers.Note
	}
	var notes []string
	for _, r := range append([]*readers.Reader{plan.Place.Agent}, plan.Place.Also...) {
		if note := r.Servers.ProjectNote; note != "" && len(plan.Place.Also) > 0 {
			notes = append(notes, r.Title+": "+note)
		} else if note != "" {
			notes = append(notes, note)
		}
	}
	return strings.Join(notes, "; ")
}

// Inset indents each line by two blanks.
func Inset(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// Servers returns the settings files in which the chosen agents list MCP servers, each
// file once even if several agents read it. An empty scope means both scopes.
func (h *Machine) Servers(chosen []*readers.Reader, scope string) (list []register.Place) {
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

// WithoutServers returns a line for each chosen agent without settings that list MCP
// servers.
func WithoutServers(chosen []*readers.Reader, scope string) (lines []string) {
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

// UninstallPlans returns plans to remove the server from the places that have it or can't
// be read.
func UninstallPlans(places []register.Place) (plans []register.Plan) {
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
func (h *Machine) RootFlags() (flags []string) {
	bare := h.Host
	bare.Getenv = func(string) string { return "" }
	for _, r := range h.Readers {
		if h.Roots[r.Agent] != nil {
			continue
		}
		paths := existingFolders(r, h.Host)
		if slices.Equal(paths, existingFolders(r, bare)) {
			continue
		}
		for _, path := range paths {
			flags = append(flags, "--root", r.Agent+"="+path)
		}
	}
	return flags
}

// existingFolders returns the existing log folders of an agent.
func existingFolders(r *readers.Reader, host readers.Host) (paths []string) {
	for _, place := range r.Places(host, nil) {
		if _, err := os.Stat(place.Path); err == nil {
			paths = append(paths, place.Path)
		}
	}
	return paths
}

// ManualSteps returns the commands to type, or the parts of settings files, by which the
// user can register the server.
func (h *Machine) ManualSteps(places []register.Place, server register.Server) string {
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
