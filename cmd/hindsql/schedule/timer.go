package schedule

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Timer is what hindsql asks of a scheduler: run a command every five minutes. The
// command finds out which reports are due.
type Timer struct {
	Command []string          // the program's path and its arguments
	Env     map[string]string // environment variables for the command
}

// Mark is a line in every file that hindsql writes for a Timer. hindsql never changes a
// file without Mark.
const Mark = "Written by hindsql report install; hindsql report uninstall removes it."

// SystemdService returns the text of the unit that runs the command.
func (t Timer) SystemdService() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n[Unit]\nDescription=Reports of hindsql that are due\n\n[Service]\nType=oneshot\n", Mark)
	for _, name := range t.names() {
		fmt.Fprintf(&b, "Environment=%s\n", systemdQuote(name+"="+t.Env[name]))
	}
	var words []string
	for _, word := range t.systemdCommand() {
		words = append(words, strings.ReplaceAll(systemdQuote(word), "$", "$$"))
	}
	fmt.Fprintf(&b, "ExecStart=%s\n# 3: a report has something to tell\nSuccessExitStatus=3\nNice=10\n", strings.Join(words, " "))
	return b.String()
}

// systemdCommand returns the command as systemd can run it. systemd refuses or misreads
// some characters in the path of a program, but not in arguments. If the path has such
// a character, a shell is the program: it gets the path as an argument, and replaces
// itself with the program.
func (t Timer) systemdCommand() []string {
	if len(t.Command) == 0 || !strings.ContainsAny(t.Command[0], "$\"'\\\t") {
		return t.Command
	}
	return append([]string{"/bin/sh", "-c", `exec "$0" "$@"`}, t.Command...)
}

// SystemdTimer returns the text of the timer unit, which starts the service. If the
// machine was off at the time of a start, systemd starts the service as soon as the
// machine is on.
func (Timer) SystemdTimer() string {
	return "# " + Mark + `
[Unit]
Description=Look for reports of hindsql that are due

[Timer]
OnCalendar=*:0/5
AccuracySec=15s
Persistent=true

[Install]
WantedBy=timers.target
`
}

// systemdQuote quotes a word for systemd, which then reads the word unchanged.
func systemdQuote(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(word) + `"`
}

// LaunchdLabel is the name of the launchd agent.
const LaunchdLabel = "hindsql.report"

// LaunchdAgent returns the text of the agent's property list.
func (t Timer) LaunchdAgent() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!-- %s -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>%s</string>
  <key>ProgramArguments</key>
  <array>
`, Mark, LaunchdLabel)
	for _, word := range t.Command {
		fmt.Fprintf(&b, "    <string>%s</string>\n", xmlText(word))
	}
	b.WriteString("  </array>\n")
	if len(t.Env) > 0 {
		b.WriteString("  <key>EnvironmentVariables</key>\n  <dict>\n")
		for _, name := range t.names() {
			fmt.Fprintf(&b, "    <key>%s</key>\n    <string>%s</string>\n", xmlText(name), xmlText(t.Env[name]))
		}
		b.WriteString("  </dict>\n")
	}
	b.WriteString("  <key>StartCalendarInterval</key>\n  <array>\n")
	for minute := 0; minute < 60; minute += 5 {
		fmt.Fprintf(&b, "    <dict><key>Minute</key><integer>%d</integer></dict>\n", minute)
	}
	b.WriteString("  </array>\n  <key>RunAtLoad</key>\n  <true/>\n  <key>ProcessType</key>\n  <string>Background</string>\n</dict>\n</plist>\n")
	return b.String()
}

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder accepts any text
	return b.String()
}

func (t Timer) names() []string { return slices.Sorted(maps.Keys(t.Env)) }

// Check returns an error for a word that some scheduler would misread. A file could
// hold the word, but the scheduler would read a different one.
func (t Timer) Check() error {
	for _, word := range append(slices.Collect(maps.Values(t.Env)), t.Command...) {
		if why := unwritable(word); why != "" {
			return fmt.Errorf("%q: has %s, which no timer can be told; use another path", word, why)
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
