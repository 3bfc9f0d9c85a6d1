package schedule

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// System is the part of the operating system that schedulers use.
type System struct {
	Home   string // the user's home folder
	Config string // the user's configuration folder: $XDG_CONFIG_HOME, or ~/.config
	UID    int    // the user's number
	// Run runs a program with input on standard input, and returns its standard output.
	// Run is runCommand, or a fake in tests.
	Run func(ctx context.Context, input, program string, args ...string) (string, error)
	Has func(program string) bool // reports whether the program exists
}

// runCommand runs a program of this machine. The error includes its standard error.
func runCommand(ctx context.Context, input, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), err
}

// This returns the system of this machine. home is from [os.UserHomeDir], config is the
// user's configuration folder.
func This(home, config string) System {
	return System{
		Home: home, Config: config, UID: os.Getuid(), Run: runCommand,
		Has: func(program string) bool { _, err := exec.LookPath(program); return err == nil },
	}
}

// File is a file that a scheduler reads; without a path, a line of the crontab.
type File struct{ Path, Text string }

// Scheduler is a program of the operating system that runs commands at given times. It
// reads files, and commands make it start and stop.
type Scheduler struct {
	Name, program string
	files         func(System, Timer) ([]File, error) // the first has the schedule
	start, stop   func(System, Timer) [][]string
}

const cronName = "cron"

// Schedulers returns the known schedulers, in the order in which they are preferred.
func Schedulers() []Scheduler {
	plist := func(s System, t Timer) string {
		return filepath.Join(s.Home, "Library", "LaunchAgents", t.label()+".plist")
	}
	task := func(s System, t Timer) string { return filepath.Join(s.Config, "hindsql", "tasks", t.Name+".xml") }
	return []Scheduler{
		{"systemd", "systemctl", func(s System, t Timer) ([]File, error) {
			at := filepath.Join(s.Config, "systemd", "user", "hindsql-"+t.Name)
			return []File{{at + ".timer", t.timer()}, {at + ".service", t.service()}}, nil
		}, func(_ System, t Timer) [][]string {
			return [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "--now", "hindsql-" + t.Name + ".timer"}}
		}, func(_ System, t Timer) [][]string {
			return [][]string{{"systemctl", "--user", "disable", "--now", "hindsql-" + t.Name + ".timer"}}
		}},
		{"launchd", "launchctl", func(s System, t Timer) ([]File, error) {
			text, err := t.agent()
			return []File{{plist(s, t), text}}, err
		}, func(s System, t Timer) [][]string {
			return [][]string{{"launchctl", "bootstrap", fmt.Sprintf("gui/%d", s.UID), plist(s, t)}}
		}, func(s System, t Timer) [][]string {
			return [][]string{{"launchctl", "bootout", fmt.Sprintf("gui/%d/%s", s.UID, t.label())}}
		}},
		{"schtasks", "schtasks", func(s System, t Timer) ([]File, error) {
			text, err := t.task()
			return []File{{task(s, t), text}}, err
		}, func(s System, t Timer) [][]string {
			return [][]string{{"schtasks", "/Create", "/TN", `hindsql\` + t.Name, "/XML", task(s, t), "/F"}}
		}, func(_ System, t Timer) [][]string {
			return [][]string{{"schtasks", "/Delete", "/TN", `hindsql\` + t.Name, "/F"}}
		}},
		{cronName, "crontab", func(_ System, t Timer) ([]File, error) { return []File{{"", t.cronLine()}}, nil },
			func(System, Timer) [][]string { return nil }, nil},
	}
}

// ErrNoScheduler means the system has no known scheduler.
var ErrNoScheduler = errors.New("no scheduler found: neither systemd for this user, launchd, schtasks nor crontab")

// Scheduler returns the scheduler of the given name. For an empty name it returns the
// system's own, or [ErrNoScheduler] if the system has no known scheduler.
func (s System) Scheduler(ctx context.Context, name string) (Scheduler, error) {
	var names []string
	for _, one := range Schedulers() {
		switch names = append(names, one.Name); {
		case name == one.Name && !s.Has(one.program):
			return one, fmt.Errorf("%s: not found on this system", one.program)
		case name == one.Name, name == "" && s.Has(one.program) && s.isAvailable(ctx, one):
			return one, nil
		}
	}
	if name != "" {
		return Scheduler{}, fmt.Errorf("%s: unknown; one of %s", name, strings.Join(names, ", "))
	}
	return Scheduler{}, ErrNoScheduler
}

// isAvailable reports whether a scheduler serves this user: systemd may exist without a
// manager of the user's own.
func (s System) isAvailable(ctx context.Context, one Scheduler) bool {
	if one.Name != "systemd" {
		return true
	}
	_, err := s.Run(ctx, "", "systemctl", "--user", "show-environment")
	return err == nil
}

// Plan returns the files that Install would write, and the commands that it would run.
// It returns an error if Install would have to replace a file that hindsql didn't write.
func (s System) Plan(with Scheduler, t Timer) (files []File, commands [][]string, err error) {
	if err := t.Check(); err != nil {
		return nil, nil, err
	}
	if files, err = with.files(s, t); err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if _, err := scheduleIn(f.Path); err != nil && f.Path != "" && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
	}
	return files, with.start(s, t), nil
}

// Install has a scheduler run the timer's command, in place of an earlier timer of the
// name. If Install fails, no timer of the name is left with this scheduler.
func (s System) Install(ctx context.Context, with Scheduler, t Timer) (removed []string, err error) {
	files, commands, err := s.Plan(with, t)
	if err != nil {
		return nil, err
	}
	if with.Name == cronName {
		err = s.editCrontab(ctx, t.Name, files[0].Text)
	} else {
		err = s.start(ctx, with, t, files, commands)
	}
	if err != nil {
		return nil, err
	}
	return s.removeExcept(ctx, t.Name, with.Name)
}

func (s System) start(ctx context.Context, with Scheduler, t Timer, files []File, commands [][]string) error {
	if _, err := s.stop(ctx, with, t.Name); err != nil {
		return err
	}
	var err error
	for _, f := range files {
		text := []byte(f.Text)
		if filepath.Ext(f.Path) == ".xml" {
			text = utf16Text(f.Text)
		}
		err = errors.Join(err, os.MkdirAll(filepath.Dir(f.Path), 0o700), atomicfile.Write(f.Path, text))
	}
	for _, command := range commands {
		if err == nil {
			_, err = s.Run(ctx, "", command[0], command[1:]...)
		}
	}
	if err != nil {
		_, undo := s.stop(ctx, with, t.Name)
		return errors.Join(err, undo)
	}
	return nil
}

// Remove removes the timer of a name from all schedulers. It returns the removed files,
// and [Crontab] if it removed a line.
func (s System) Remove(ctx context.Context, name string) (removed []string, err error) {
	return s.removeExcept(ctx, name, "")
}

// Crontab is the name that [System.Remove] returns for a removed line.
const Crontab = "crontab"

func (s System) removeExcept(ctx context.Context, name, scheduler string) (removed []string, err error) {
	for _, one := range Schedulers() {
		switch {
		case one.Name == scheduler:
		case one.Name != cronName:
			gone, wrong := s.stop(ctx, one, name)
			removed, err = append(removed, gone...), errors.Join(err, wrong)
		default:
			entries, _ := s.Installed(ctx) // a user who may not use cron has no line
			if entries[name].Scheduler == cronName {
				removed, err = append(removed, Crontab), errors.Join(err, s.editCrontab(ctx, name, ""))
			}
		}
	}
	return removed, err
}

// stop removes hindsql's files of a timer, after it told their scheduler.
func (s System) stop(ctx context.Context, one Scheduler, name string) (removed []string, err error) {
	t := Timer{Name: name, When: anyTime}
	files, err := one.files(s, t)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if _, foreign := scheduleIn(f.Path); foreign != nil {
			continue // or missing
		}
		for _, command := range one.stop(s, t) {
			if i == 0 {
				_, _ = s.Run(ctx, "", command[0], command[1:]...) // the scheduler may not know it
			}
		}
		if err := os.Remove(f.Path); err != nil {
			return removed, err
		}
		removed = append(removed, f.Path)
	}
	return removed, nil
}

// anyTime is the schedule of timers of which only the files' names matter.
var anyTime = &When{text: "hourly", days: []days{{}}}

// Entry is an installed timer.
type Entry struct{ Schedule, Scheduler string }

// Installed returns the installed timers by name. The error is about the crontab, whose
// lines are then missing.
func (s System) Installed(ctx context.Context) (map[string]Entry, error) {
	found := map[string]Entry{}
	for _, one := range Schedulers() {
		files, _ := one.files(s, Timer{Name: "*", When: anyTime})
		folder, form := filepath.Split(files[0].Path)
		before, after, _ := strings.Cut(form, "*")
		entries, _ := os.ReadDir(folder)
		for _, entry := range entries {
			name := strings.TrimSuffix(strings.TrimPrefix(entry.Name(), before), after)
			if schedule, err := scheduleIn(filepath.Join(folder, before+name+after)); err == nil {
				found[name] = Entry{schedule, one.Name}
			}
		}
	}
	text, err := s.crontab(ctx)
	for line := range strings.Lines(text) {
		if name, schedule, ours := cronEntry(line); ours {
			found[name] = Entry{schedule, cronName}
		}
	}
	return found, err
}

// scheduleIn returns the schedule in a scheduler's file. If hindsql didn't write the
// file, scheduleIn returns an error.
func scheduleIn(path string) (string, error) {
	text, err := regular.Read(path, regular.Own)
	if err != nil {
		return "", err
	}
	_, after, ours := strings.Cut(strings.ReplaceAll(string(text), "\x00", ""), mark) // UTF-16 has zeros
	schedule, _, ended := strings.Cut(after, markEnd)
	if !ours || !ended {
		return "", fmt.Errorf("%s: not written by hindsql report install; left as it is", path)
	}
	return schedule, nil
}

// crontab returns the user's crontab; empty if the user has none.
func (s System) crontab(ctx context.Context) (string, error) {
	if !s.Has("crontab") {
		return "", nil
	}
	text, err := s.Run(ctx, "", "crontab", "-l")
	if err != nil && strings.Contains(err.Error(), "no crontab for") {
		return "", nil
	}
	return text, err
}

// editCrontab replaces the line of a timer; an empty line removes it. All other lines
// stay unchanged.
func (s System) editCrontab(ctx context.Context, name, line string) error {
	before, err := s.crontab(ctx)
	if err != nil {
		return err
	}
	rest := ""
	for one := range strings.Lines(before) {
		if of, _, ours := cronEntry(one); !ours || of != name {
			rest += one
		}
	}
	if line != "" && rest != "" && !strings.HasSuffix(rest, "\n") {
		rest += "\n"
	}
	if rest += line; rest == "" {
		_, err = s.Run(ctx, "", "crontab", "-r")
	} else {
		_, err = s.Run(ctx, rest, "crontab", "-")
	}
	return err
}

// utf16Text returns a text as schtasks reads files: UTF-16, with a mark of the byte
// order.
func utf16Text(text string) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r\n"))) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}
