package register

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
	"hindsql/readers"
)

// Plan is what to do at a place to add or remove the server: run commands, or change
// the file. It has neither if the place is up to date.
type Plan struct {
	Place    Place
	Commands [][]string // command lines, in order
	Diff     string     // unified diff; empty if the file stays
	// Paste is what the user can do by hand if hindsql can't do the work. Why is the
	// reason.
	Paste string
	Shell bool // Paste is a command line
	Why   error

	name          string
	server        *Server // nil: the entry is to be removed
	before, after []byte
	exists        bool // the file existed at planning
}

// Idle reports whether the plan has no work and no failure.
func (p *Plan) Idle() bool { return p.Commands == nil && p.Diff == "" && p.Why == nil }

// Changes reports whether carrying out the plan changes anything.
func (p *Plan) Changes() bool { return p.Commands != nil || p.Diff != "" }

// Removes reports whether the plan removes an entry.
func (p *Plan) Removes() bool { return p.server == nil }

// ErrOwn means only the agent itself may write the file.
var ErrOwn = errors.New("a running agent rewrites it, and its own command is not on PATH")

// Install returns a plan to register the server at a place. has reports whether a
// program is on PATH.
func (p Place) Install(s Server, has func(program string) bool) Plan {
	plan := Plan{Place: p, name: s.Name, server: &s}
	how := &p.Agent.Servers
	switch {
	case p.Err == nil && slices.Equal(p.Line, s.Line()):
	case !p.Project && how.Add != nil && has(how.Add[0]) && (p.Err == nil || p.ReadOnly):
		if p.Present && !how.Replaces {
			plan.Commands = append(plan.Commands, s.command(how, how.Remove))
		}
		plan.Commands = append(plan.Commands, s.command(how, how.Add))
	default:
		plan.file()
	}
	return plan.orPaste()
}

// Uninstall returns a plan to remove the server with a name from a place.
func (p Place) Uninstall(name string, has func(program string) bool) Plan {
	plan := Plan{Place: p, name: name}
	how := &p.Agent.Servers
	switch {
	case p.Err == nil && !p.Present:
	case !p.Project && how.Remove != nil && has(how.Remove[0]) && p.Err == nil:
		plan.Commands = [][]string{Server{Name: name}.command(how, how.Remove)}
	default:
		plan.file()
	}
	return plan.orPaste()
}

// file makes the plan change the file. If hindsql can't change the file, it sets Why.
func (p *Plan) file() {
	switch {
	case p.Place.Err != nil:
		p.Why = p.Place.Err
	case p.Place.ReadOnly:
		p.Why = fmt.Errorf("%s: %w", p.Place.Path, ErrOwn)
	default:
		p.Why = p.edit()
	}
}

func (p *Plan) edit() (err error) {
	p.before, err = regular.Read(p.Place.Path, p.Place.most())
	p.exists = err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Lstat(p.Place.Path); err == nil && !p.exists {
		return fmt.Errorf("%s: a link that leads nowhere", p.Place.Path)
	}
	if p.after, err = p.Place.edited(p.before, p.name, p.server); err != nil {
		return err
	}
	from, to := p.Place.Path, p.Place.Path
	if !p.exists {
		from = os.DevNull
	}
	if info, err := os.Lstat(p.Place.Path); p.server == nil && nothing(p.after) && err == nil && info.Mode().IsRegular() {
		to, p.after = os.DevNull, nil // a file behind a symbolic link is emptied, not removed
	}
	p.Diff = udiff.Unified(from, to, string(p.before), string(p.after))
	return nil
}

// orPaste adds text for the user if the plan failed.
func (p Plan) orPaste() Plan {
	if p.Why != nil {
		p.Paste, p.Shell = Paste(p.Place, p.server, p.name)
	}
	return p
}

// Paste returns a text by which the user can register the server by hand, or remove it
// if s is nil. The text is a shell command (shell is true), or a part of the place's
// file.
func Paste(p Place, s *Server, name string) (text string, shell bool) {
	how := &p.Agent.Servers
	switch {
	case s == nil && (p.Project || how.Remove == nil):
		return "take " + strings.Join(p.key(name), ".") + " out", false
	case s == nil:
		return Shell(Server{Name: name}.command(how, how.Remove)), true
	case !p.Project && how.Add != nil:
		return Shell(s.command(how, how.Add)), true
	}
	entry, err := formOf(p.Path).set(nil, p.key(s.Name), s.fields(how))
	if err != nil {
		return s.entryText(how), false
	}
	return strings.TrimSuffix(string(entry), "\n"), false
}

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

// Do carries the plan out. It passes the command line and the output of each of the
// agent's commands to output.
func (p *Plan) Do(ctx context.Context, host readers.Host, output func(line []string, text string)) error {
	for _, line := range p.Commands {
		text, err := call(ctx, line)
		output(line, text)
		if err != nil {
			return fmt.Errorf("%s: %w; call it yourself, or %s", Shell(line), err, p.otherwise())
		}
	}
	if p.Commands != nil {
		return p.look(host)
	}
	return p.write()
}

// otherwise returns advice for the user after the agent's own command failed.
func (p *Plan) otherwise() string {
	if p.Place.ReadOnly || p.server == nil {
		return "see what it says"
	}
	entry, err := formOf(p.Place.Path).set(nil, p.Place.key(p.name), p.server.fields(&p.Place.Agent.Servers))
	if err != nil {
		return "see what it says"
	}
	return "put this into " + p.Place.Path + ":\n" + strings.TrimSuffix(string(entry), "\n")
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

// look checks the agent's settings after its commands have run. It returns an error if
// the registration is still as before.
func (p *Plan) look(host readers.Host) error {
	for _, is := range Users(p.Place.Agent, host, p.name) {
		if is.Err != nil || p.server != nil && slices.Equal(is.Line, p.server.Line()) || p.server == nil && !is.Present {
			return nil //nolint:nilerr // if the file can't be read, the result is unknown
		}
	}
	return fmt.Errorf("%s: it is as before, though the command ended well", p.Place.Path)
}

// write writes the file. It returns an error if the file changed since planning.
func (p *Plan) write() error {
	path := p.Place.Path
	now, err := regular.Read(path, p.Place.most())
	if err != nil && !(errors.Is(err, fs.ErrNotExist) && !p.exists) {
		return err
	}
	if !bytes.Equal(now, p.before) {
		return fmt.Errorf("%s: changed by another program meanwhile; nothing was written, try again", path)
	}
	if p.after == nil {
		return p.clear()
	}
	folder, mode := os.FileMode(0o700), os.FileMode(0o600)
	if p.Place.Project {
		folder, mode = 0o755, 0o644
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	} else if err := os.MkdirAll(filepath.Dir(path), folder); err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if _, err := f.Write(p.after); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Commit()
}

// clear removes an empty file. In a repository it also removes an empty folder.
func (p *Plan) clear() error {
	if err := os.Remove(p.Place.Path); err != nil {
		return err
	}
	if p.Place.Project {
		_ = os.Remove(filepath.Dir(p.Place.Path)) // fails if the folder has other files
	}
	return nil
}
