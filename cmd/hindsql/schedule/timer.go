package schedule

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hindsql/internal/lists"
	"hindsql/internal/pattern"
)

// Timer has a scheduler run a command.
type Timer struct {
	Name    string // such as weekly, or push-1f2e
	When    *When
	Command []string          // the program's path and its arguments
	Env     map[string]string // environment variables for the command
}

// Every file that hindsql writes for a Timer has the schedule, as the user wrote it,
// between mark and markEnd. hindsql never changes a file without them.
const (
	mark    = "Written by hindsql report install; hindsql report uninstall removes it. Schedule: ["
	markEnd = "]"
)

func (t Timer) marked() string { return mark + t.When.String() + markEnd }

func (t Timer) names() []string { return slices.Sorted(maps.Keys(t.Env)) }

func (t Timer) service() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n[Unit]\nDescription=hindsql %s\n\n[Service]\nType=oneshot\n", t.marked(), t.Name)
	for _, name := range t.names() {
		fmt.Fprintf(&b, "Environment=%s\n", systemdQuote(name+"="+t.Env[name]))
	}
	words := lists.Map(t.systemdCommand(), func(word string) string { return strings.ReplaceAll(systemdQuote(word), "$", "$$") })
	fmt.Fprintf(&b, "ExecStart=%s\n# 3: a report has something to tell\nSuccessExitStatus=3\nNice=10\n", strings.Join(words, " "))
	return b.String()
}

// systemdCommand returns the command as systemd can run it: of some paths a shell has to
// be the program, because systemd refuses or misreads their characters.
func (t Timer) systemdCommand() []string {
	if len(t.Command) == 0 || !strings.ContainsAny(t.Command[0], "$\"'\\\t") {
		return t.Command
	}
	return append([]string{"/bin/sh", "-c", `exec "$0" "$@"`}, t.Command...)
}

func systemdQuote(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(word) + `"`
}

func (t Timer) timer() string {
	text := "# " + t.marked() + "\n[Unit]\nDescription=hindsql " + t.Name + "\n\n[Timer]\n"
	for _, at := range t.When.onCalendar() {
		text += "OnCalendar=" + at + "\n"
	}
	return text + "Persistent=true\n\n[Install]\nWantedBy=timers.target\n"
}

func (t Timer) agent() (string, error) {
	at, err := t.When.intervals()
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!-- %s -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>%s</string>
  <key>ProcessType</key><string>Background</string>
  <key>ProgramArguments</key>
  <array>
`, t.marked(), t.label())
	for _, word := range t.Command {
		fmt.Fprintf(&b, "    <string>%s</string>\n", xmlText(word))
	}
	b.WriteString("  </array>\n  <key>EnvironmentVariables</key>\n  <dict>\n")
	for _, name := range t.names() {
		fmt.Fprintf(&b, "    <key>%s</key><string>%s</string>\n", xmlText(name), xmlText(t.Env[name]))
	}
	b.WriteString("  </dict>\n  <key>StartCalendarInterval</key>\n  <array>\n")
	for _, one := range at {
		b.WriteString("    <dict>")
		for _, key := range slices.Sorted(maps.Keys(one)) {
			fmt.Fprintf(&b, "<key>%s</key><integer>%d</integer>", key, one[key])
		}
		b.WriteString("</dict>\n")
	}
	b.WriteString("  </array>\n</dict>\n</plist>\n")
	return b.String(), err
}

func (t Timer) label() string { return "hindsql." + t.Name }

// task returns the text of the task, by "Task Scheduler Schema" of Microsoft. conhost
// runs the program without a window.
func (t Timer) task() (string, error) {
	triggers, err := t.When.triggers()
	words := lists.Map(t.Command, windowsQuote)
	for _, name := range t.names() {
		if !slices.Contains(ofWindows, name) {
			words = append(words, "--env", windowsQuote(name+"="+t.Env[name]))
		}
	}
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>%s</Description></RegistrationInfo>
  <Triggers>
    %s
  </Triggers>
  <Principals><Principal id="user"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <Priority>7</Priority>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT4H</ExecutionTimeLimit>
  </Settings>
  <Actions Context="user">
    <Exec><Command>%%SystemRoot%%\System32\conhost.exe</Command><Arguments>--headless %s</Arguments></Exec>
  </Actions>
</Task>
`, xmlText(t.marked()), strings.Join(triggers, "\n    "), xmlText(strings.Join(words, " "))), err
}

// ofWindows lists the variables that Windows gives every program of the user.
var ofWindows = []string{"APPDATA", "LOCALAPPDATA", "USERPROFILE"}

// WithEnv returns a getenv that knows the variables of list first: NAME=VALUE, as a
// task passes them.
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

// windowsQuote quotes a word by the rules of CommandLineToArgvW.
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

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder accepts any text
	return b.String()
}

// cronMark begins the comment at the end of hindsql's line in a crontab.
const cronMark = " # hindsql "

// cronLine returns the line of a crontab. It ends with a comment for the shell, which
// has the timer's name and the schedule as the user wrote it.
func (t Timer) cronLine() string {
	words := []string{t.When.cronFields()}
	for _, name := range t.names() {
		words = append(words, name+"="+cronQuote(t.Env[name]))
	}
	for _, word := range t.Command {
		words = append(words, cronQuote(word))
	}
	return strings.Join(words, " ") + cronMark + t.Name + ": " + t.When.String() + "\n"
}

// cronEntry returns the name and the schedule in hindsql's line of a crontab. A line
// that somebody has made a comment isn't hindsql's.
func cronEntry(line string) (name, schedule string, ours bool) {
	i := strings.LastIndex(line, cronMark)
	if i < 0 || strings.HasPrefix(strings.TrimSpace(line), "#") || !strings.Contains(line, " --scheduled ") {
		return "", "", false
	}
	name, schedule, ours = strings.Cut(strings.TrimSpace(line[i+len(cronMark):]), ": ")
	return name, schedule, ours
}

// cronQuote quotes a word of the command for a line in a crontab. An unescaped percent
// sign ends the command, and some crons read two backslashes as one. So cronQuote ends
// the quotes before a percent sign and writes it as \%. If cron leaves the backslash,
// the shell removes it.
func cronQuote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `\''`, `%`, `'\%'`).Replace(word) + "'"
}

var nameForm = pattern.Lazy(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// Check returns an error for a name that can't be a file's, and for a word that some
// scheduler would misread.
func (t Timer) Check() error {
	if !nameForm.MatchString(t.Name) {
		return fmt.Errorf("report %q: a name is made of small letters, digits and single hyphens", t.Name)
	}
	for _, word := range append(slices.Collect(maps.Values(t.Env)), t.Command...) {
		if why := unwritable(word); why != "" {
			return fmt.Errorf("%q: has %s, which no scheduler can be told; use another path, or put the command into a script", word, why)
		}
	}
	return nil
}

// unwritable describes the first character in a word that a scheduler would misread;
// empty if the word has none. All schedulers read tabs correctly.
func unwritable(word string) string {
	for _, r := range word {
		switch {
		case r == '\n' || r == '\r':
			return "a line break"
		case r != '\t' && (r < ' ' || r == 0x7f):
			return "a control character"
		case unicode.Is(unicode.Noncharacter_Code_Point, r):
			return "a code point that is no character"
		}
	}
	if !utf8.ValidString(word) {
		return "bytes that are no UTF-8"
	}
	return ""
}
