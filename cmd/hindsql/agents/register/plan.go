package register

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"hindsql/readers"
)

// Plan is how to add the server to a place, or to remove it: by the agent's own
// commands, or by the user's hand.
type Plan struct {
	Place    Place
	Server   *Server    // nil: the entry is to be removed
	Done     bool       // the place is up to date
	Commands [][]string // the agent's own command lines, in order; nil if it has none for this place
	Err      error      // why hindsql can't call the commands, or can't read the file; nil if it can
}

// Calls reports whether carrying out the plan calls the agent's own commands.
func (p *Plan) Calls() bool { return !p.Done && p.Commands != nil && p.Err == nil }

// Install returns a plan to register the server at a place.
func (p Place) Install(s Server) Plan {
	plan := Plan{Place: p, Server: &s, Done: p.Err == nil && slices.Equal(p.Line, s.Line())}
	how := &p.Agent.Servers
	if how.Add == nil || p.ByHand {
		plan.Err = p.Err
		return plan
	}
	if p.Present && !how.Replaces {
		plan.Commands = append(plan.Commands, s.command(how, how.Remove))
	}
	plan.Commands = append(plan.Commands, s.command(how, how.Add))
	plan.Err = missing(how.Add[0])
	return plan
}

// Uninstall returns a plan to remove the server from a place.
func (p Place) Uninstall() Plan {
	plan := Plan{Place: p, Done: p.Err == nil && !p.Present, Err: p.Err}
	how := &p.Agent.Servers
	if how.Remove == nil || p.ByHand {
		return plan
	}
	plan.Commands = [][]string{Server{}.command(how, how.Remove)}
	if p.Err == nil {
		plan.Err = missing(how.Remove[0])
	}
	return plan
}

// OnPath reports whether a program is on PATH.
func OnPath(program string) bool { _, err := exec.LookPath(program); return err == nil }

// missing returns an error if a program isn't on PATH.
func missing(program string) error {
	if OnPath(program) {
		return nil
	}
	return fmt.Errorf("%s: not on PATH, so hindsql can't call it", program)
}

// ByHand returns the command lines that the user can type, and the text for the
// settings file. The text for a removal is empty.
func (p *Plan) ByHand() (typed, entry string) {
	for _, line := range p.Commands {
		typed += Shell(line) + "\n"
	}
	if p.Server != nil {
		entry = p.Place.Entry(*p.Server)
	}
	return typed, entry
}

// Key returns the entry's place in the settings file, for people.
func (p *Plan) Key() string { return strings.Join(p.Place.key(), ".") }

// Shell quotes a command line for a POSIX shell.
func Shell(line []string) string {
	words := make([]string, len(line))
	for i, w := range line {
		words[i] = w
		if w == "" || strings.Trim(w, plain) != "" {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,~"

// CommandTime is the time limit of an agent's own command.
const CommandTime = time.Minute

// Do calls the agent's commands without a shell, and checks the agent's settings
// afterwards. It passes the output of each command to output.
func (p *Plan) Do(ctx context.Context, host readers.Host, output func(text string)) error {
	for _, line := range p.Commands {
		text, err := call(ctx, line)
		output(text)
		if err != nil {
			return fmt.Errorf("%s: %w", Shell(line), err)
		}
	}
	for _, is := range Users(p.Place.Agent, host) {
		if is.Err != nil || p.Server != nil && slices.Equal(is.Line, p.Server.Line()) || p.Server == nil && !is.Present {
			return nil //nolint:nilerr // if the file can't be read, the result is unknown
		}
	}
	return fmt.Errorf("%s: it is as before, though the command ended well", p.Place.Path)
}

func call(ctx context.Context, line []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, CommandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(text), err
}
