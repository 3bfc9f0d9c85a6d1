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

// System is what the schedulers of an operating system need of the world.
type System struct {
	OS     string // as runtime.GOOS
	Home   string // the user's home folder
	Config string // the user's configuration folder: $XDG_CONFIG_HOME, or ~/.config
	UID    int    // the user's number
	// Run runs a program with a text on its standard input, and gives what it
	// wrote: [Command], or what stands for it in a test.
	Run func(ctx context.Context, input, program string, args ...string) (string, error)
	Has func(program string) bool // says whether a program is there
}

// Command runs a program of this machine. The error has what it said.
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

// Scheduler is a program of the system that calls others at given times.
type Scheduler interface {
	// Plan gives what Install would write and run. That a file of somebody else
	// is in the way is an error.
	Plan(context.Context, Timer) ([]Step, error)
	// Install does it, or leaves nothing of it behind.
	Install(context.Context, Timer) error
}

// remover takes away what Install of any time wrote, and says what it was.
type remover interface {
	remove(context.Context) (removed []string, err error)
}

// Step is a file that is written, or something else that is done.
type Step struct {
	File  string // that Text goes into; empty for what Title says
	Title string
	Text  string
}

// Schedulers are the names of those there are.
func Schedulers() []string { return []string{"systemd", "launchd", "cron"} }

// ErrNoScheduler says that the system has none that is known here.
var ErrNoScheduler = errors.New("no scheduler found: neither systemd for this user, launchd nor crontab")

// Scheduler is the one of a name, or for an empty one that which this system
// has: else [ErrNoScheduler].
func (s System) Scheduler(ctx context.Context, name string) (Scheduler, error) {
	switch name {
	case "systemd":
		return systemd{s}, s.needs("systemctl")
	case "launchd":
		return launchd{s}, s.needs("launchctl")
	case "cron":
		return crontab{s}, s.needs("crontab")
	case "":
	default:
		return nil, fmt.Errorf("%s: unknown; systemd, launchd or cron", name)
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

// Install has jobs run by themselves, in place of those in their file before:
// all of it, or nothing. The file is written first, as a timer without jobs does
// nothing. What other schedulers were told is taken back, see [System.Remove].
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

// Remove takes back whatever Install ever told any scheduler but one; nil for
// none. It gives the paths of the files that are gone, and [Crontab] for lines
// of that.
func (s System) Remove(ctx context.Context, but Scheduler) (removed []string, err error) {
	for _, r := range []remover{systemd{s}, launchd{s}, crontab{s}} {
		if but != nil && reflect.TypeOf(r) == reflect.TypeOf(but) {
			continue
		}
		gone, wrong := r.remove(ctx)
		removed, err = append(removed, gone...), errors.Join(err, wrong)
	}
	return removed, err
}

// This is the system that the program runs on: goos and home are as runtime.GOOS and
// [os.UserHomeDir] have them, config is the user's configuration folder.
func This(goos, home, config string) System {
	return System{
		OS: goos, Home: home, Config: config, UID: os.Getuid(), Run: Command,
		Has: func(program string) bool { _, err := exec.LookPath(program); return err == nil },
	}
}
