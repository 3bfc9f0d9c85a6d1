package schedule

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"hindsql/internal/atomicfile"
)

// tasks is the scheduler that runs the command by a task of Windows' Task Scheduler.
type tasks struct{ System }

// Task is the name of hindsql's task, and what [System.Remove] returns for it.
const Task = "hindsql report"

// Plan implements [Scheduler].
func (s tasks) Plan(ctx context.Context, t Timer) ([]Step, error) {
	_, err := s.ours(ctx)
	return []Step{{Title: fmt.Sprintf("As the task %q of the Task Scheduler, by schtasks:", Task), Text: t.Task()}}, err
}

// Install implements [Scheduler]. schtasks replaces the task as a whole, or changes
// nothing.
func (s tasks) Install(ctx context.Context, t Timer) error {
	if _, err := s.ours(ctx); err != nil {
		return err
	}
	text := filepath.Join(s.Config, "hindsql-report.xml") // only while schtasks reads it
	if err := os.MkdirAll(s.Config, 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(text, utf16Text(t.Task())); err != nil {
		return err
	}
	_, err := s.Run(ctx, "", "schtasks", "/Create", "/TN", Task, "/XML", text, "/F")
	return errors.Join(err, atomicfile.Remove(text))
}

// ours reports whether the task exists. It returns an error if hindsql didn't write the
// task.
func (s tasks) ours(ctx context.Context) (present bool, err error) {
	text, err := s.Run(ctx, "", "schtasks", "/Query", "/TN", Task, "/XML")
	switch {
	case err != nil:
		return false, nil //nolint:nilerr // schtasks has only exit code 1 for a missing task
	case !strings.Contains(strings.ReplaceAll(text, "\x00", ""), Mark):
		return false, fmt.Errorf("task %q: not written by hindsql report install; left as it is", Task)
	}
	return true, nil
}

func (s tasks) remove(ctx context.Context) (removed []string, err error) {
	if s.OS != "windows" || !s.Has("schtasks") {
		return nil, nil
	}
	present, err := s.ours(ctx)
	if err != nil || !present {
		return nil, err
	}
	if _, err := s.Run(ctx, "", "schtasks", "/Delete", "/TN", Task, "/F"); err != nil {
		return nil, err
	}
	return []string{Task}, nil
}

// Task returns the text of the task. The elements, and their order, are those of "Task
// Scheduler Schema" in Microsoft's documentation (learn.microsoft.com/windows/win32/taskschd).
// conhost runs the program without a window, which would else appear every five minutes.
func (t Timer) Task() string {
	var words []string
	for _, word := range t.Command {
		words = append(words, windowsQuote(word))
	}
	for _, name := range t.names() {
		if !slices.Contains(ofWindows, name) {
			words = append(words, "--env", windowsQuote(name+"="+t.Env[name]))
		}
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>%s</Description>
  </RegistrationInfo>
  <Triggers>
    <TimeTrigger>
      <Enabled>true</Enabled>
      <StartBoundary>2026-01-01T00:00:00</StartBoundary>
      <Repetition>
        <Interval>PT5M</Interval>
      </Repetition>
    </TimeTrigger>
  </Triggers>
  <Principals>
    <Principal id="user">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <Priority>7</Priority>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT1H</ExecutionTimeLimit>
  </Settings>
  <Actions Context="user">
    <Exec>
      <Command>%%SystemRoot%%\System32\conhost.exe</Command>
      <Arguments>--headless %s</Arguments>
    </Exec>
  </Actions>
</Task>
`, Mark, xmlText(strings.Join(words, " ")))
}

// ofWindows lists the variables that Windows gives every program of the user.
var ofWindows = []string{"APPDATA", "LOCALAPPDATA", "USERPROFILE"}

// WithEnv returns a getenv that knows the variables of list first: NAME=VALUE, as
// [Timer.Task] passes them.
func WithEnv(list []string, getenv func(string) string) func(string) string {
	return func(name string) string {
		for _, pair := range list {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return getenv(name)
	}
}

// windowsQuote quotes a word of a command line, by the rules of CommandLineToArgvW
// (learn.microsoft.com/windows/win32/api/shellapi).
func windowsQuote(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\"") {
		return word
	}
	var b strings.Builder
	slashes := 0
	for _, c := range word {
		switch c {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteRune(c)
	}
	return `"` + b.String() + strings.Repeat(`\`, slashes) + `"`
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
