package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
)

// System is the part of the operating system that schedulers use.
type System struct {
	OS     string // as runtime.GOOS
	Home   string // the user's home folder
	Config string // the user's configuration folder: $XDG_CONFIG_HOME, or ~/.config
	UID    int    // the user's number
	// Run runs a program with input on standard input, and returns its standard output.
	// It is [Command], or a fake in tests.
	Run func(ctx context.Context, input, program string, args ...string) (string, error)
	Has func(program string) bool // reports whether the program exists
}

// Command runs a program of this machine. The error includes its standard error.
func Command(ctx context.Context, input, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), err
}

// Scheduler is a program of the operating system that runs commands at given times.
type Scheduler interface {
	// Plan returns the steps that Install would take. It returns an error if Install
	// would have to replace a file that hindsql didn't write.
	Plan(context.Context, Timer) ([]Step, error)
	// Install carries out the plan. If Install fails, it undoes its changes.
	Install(context.Context, Timer) error
}

// remover undoes all earlier Installs with a scheduler, and returns what it removed.
type remover interface {
	remove(context.Context) (removed []string, err error)
}

// Step is one step of an install: a file to write, or another action.
type Step struct {
	File  string // the file for Text; empty: Title describes the action
	Title string
	Text  string
}

// Schedulers returns the names of the known schedulers.
func Schedulers() []string { return []string{"systemd", "launchd", "schtasks", "cron"} }

// ErrNoScheduler means the system has no known scheduler.
var ErrNoScheduler = errors.New("no scheduler found: neither systemd for this user, launchd, schtasks nor crontab")

// Scheduler returns the scheduler of the given name. For an empty name it returns the
// system's own, or [ErrNoScheduler] if the system has no known scheduler.
func (s System) Scheduler(ctx context.Context, name string) (Scheduler, error) {
	switch name {
	case "systemd":
		return systemd{s}, s.needs("systemctl")
	case "launchd":
		return launchd{s}, s.needs("launchctl")
	case "schtasks":
		return tasks{s}, s.needs("schtasks")
	case "cron":
		return crontab{s}, s.needs("crontab")
	case "":
	default:
		return nil, fmt.Errorf("%s: unknown; systemd, launchd, schtasks or cron", name)
	}
	if s.OS == "windows" {
		return tasks{s}, s.needs("schtasks")
	}
	if _, err := s.Run(ctx, "", "systemctl", "--user", "show-environment"); err == nil {
		return systemd{s}, nil
	}
	switch {
	case s.OS == "darwin" && s.Has("launchctl"):
		return launchd{s}, nil
	case s.Has("crontab"):
		return crontab{s}, nil
	}
	return nil, ErrNoScheduler
}

func (s System) needs(program string) error {
	if !s.Has(program) {
		return fmt.Errorf("%s: not found on this system", program)
	}
	return nil
}

// Install saves the jobs to the file at path, and installs the timer with a scheduler.
// If the scheduler fails, Install restores the file. The file comes first, because a
// timer without jobs does nothing. In the end Install undoes installs with other
// schedulers, see [System.Remove].
func (s System) Install(ctx context.Context, path string, jobs []Job, with Scheduler, t Timer) (removed []string, err error) {
	before, err := Load(path)
	if err != nil {
		return nil, err
	}
	if err := Save(path, jobs); err != nil {
		return nil, err
	}
	if err := with.Install(ctx, t); err != nil {
		return nil, errors.Join(err, Save(path, before))
	}
	return s.Remove(ctx, with)
}

// Remove undoes all earlier installs, except those with the scheduler but; nil means no
// exception. It returns the paths of removed files, [Crontab] if it removed lines of the
// crontab, and [Task] if it removed the task.
func (s System) Remove(ctx context.Context, but Scheduler) (removed []string, err error) {
	for _, r := range []remover{systemd{s}, launchd{s}, tasks{s}, crontab{s}} {
		if but != nil && reflect.TypeOf(r) == reflect.TypeOf(but) {
			continue
		}
		gone, wrong := r.remove(ctx)
		removed, err = append(removed, gone...), errors.Join(err, wrong)
	}
	return removed, err
}

// This returns the system of this machine. goos is [runtime.GOOS], home is from
// [os.UserHomeDir], config is the user's configuration folder.
func This(goos, home, config string) System {
	return System{
		OS: goos, Home: home, Config: config, UID: os.Getuid(), Run: Command,
		Has: func(program string) bool { _, err := exec.LookPath(program); return err == nil },
	}
}
