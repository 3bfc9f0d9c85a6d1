package schedule_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/schedule"
)

// odd is a timer whose words need every kind of quoting.
var odd = schedule.Timer{
	Name: "weekly", When: mustParse("weekly mon 08:00"),
	Command: []string{"/opt/my apps/hindsql", "--store", `/data/it's 100% "mine" $HOME \ é <&>.duckdb`, "report", "run", "weekly", "--scheduled",
		"--notify", `mail -s "my $(date +%F)  week" 'me@x' # hindsql other: hourly`, `a\%b`, `a\\%b\\`, `\'%`, `\`, "50%", "%%", "$$", "${x}", "`id`", "#x", "\t", "", `"`, "--", "]]>", "日本 🙂", "; rm -rf ~", "~", "*", "!x"},
	Env: map[string]string{"XDG_CONFIG_HOME": `/home/a b/100%/$x"\`, "CODEX_HOME": "/c"},
}

func mustParse(text string) *schedule.When {
	w, err := schedule.Parse(text)
	if err != nil {
		panic(err)
	}
	return w
}

func named(t *testing.T, name string) schedule.Scheduler {
	t.Helper()
	for _, s := range schedule.Schedulers() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no scheduler %s", name)
	return schedule.Scheduler{}
}

// planned returns the files that a scheduler would get.
func planned(t *testing.T, name string, timer schedule.Timer) []schedule.File {
	t.Helper()
	files, _, err := newMadeUp(t).Plan(named(t, name), timer)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCronLine: whatever kind of cron reads the line, the shell gets exactly the words
// of the command.
func TestCronLine(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here")
	}
	program := filepath.Join(t.TempDir(), "it's a program")
	script := "#!/bin/sh\nprintf '%s\\n' \"$XDG_CONFIG_HOME\" \"$CODEX_HOME\" \"$@\"\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	timer := odd
	timer.Command = append([]string{program}, odd.Command[1:]...)
	line := strings.TrimSuffix(planned(t, "cron", timer)[0].Text, "\n")
	command, ok := strings.CutPrefix(line, "0 8 * * 1 ")
	if !ok || !strings.HasSuffix(line, " # hindsql weekly: weekly mon 08:00") {
		t.Fatalf("line %s", line)
	}
	want := strings.Join(append([]string{odd.Env["XDG_CONFIG_HOME"], odd.Env["CODEX_HOME"]}, timer.Command[1:]...), "\n") + "\n"
	for name, read := range map[string]string{"Debian's": readByCron(command, "%"), "Vixie's": readByCron(command, `%\`), "BusyBox's": command} {
		got, err := exec.Command("sh", "-c", read).Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s cron: %s", name, diff)
		}
	}
}

// readByCron returns what cron passes to the shell for a line. The command ends at a
// percent sign. cron removes a backslash before any of the characters in escaped.
func readByCron(line, escaped string) string {
	var command strings.Builder
	for i := 0; i < len(line) && line[i] != '%'; i++ {
		if line[i] == '\\' && i+1 < len(line) {
			if i++; !strings.ContainsRune(escaped, rune(line[i])) {
				command.WriteByte('\\')
			}
		}
		command.WriteByte(line[i])
	}
	return command.String()
}

// TestSystemdAccepts: systemd's own check finds no fault.
func TestSystemdAccepts(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here: apt install systemd")
	}
	for _, name := range []string{"my hindsql", `my %h $HOME "hind\\sql's"`} {
		t.Run(name, func(t *testing.T) { systemdAccepts(t, verify, name) })
	}
}

func systemdAccepts(t *testing.T, verify, name string) {
	dir := t.TempDir()
	timer := odd
	program := filepath.Join(dir, name)
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	timer.Command = append([]string{program}, odd.Command[1:]...)
	args := []string{"--user", "verify"}
	for _, f := range planned(t, "systemd", timer) {
		path := filepath.Join(dir, filepath.Base(f.Path))
		if err := os.WriteFile(path, []byte(f.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command(verify, args...)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "hindsql-weekly") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestSystemdWords: systemd reads the words of the command and of the variables
// unchanged. If systemd would refuse or change a program's path, the path becomes an
// argument of a shell.
func TestSystemdWords(t *testing.T) {
	for _, program := range []string{"/opt/my 100% é/hindsql", `/opt/$HOME/it's\x`} {
		timer := odd
		timer.Command = append([]string{program}, odd.Command[1:]...)
		want := timer.Command
		if strings.Contains(program, "$") {
			want = append([]string{"/bin/sh", "-c", `exec "$0" "$@"`}, want...)
		}
		var command, variables []string
		for line := range strings.Lines(planned(t, "systemd", timer)[1].Text) {
			if text, is := strings.CutPrefix(line, "ExecStart="); is {
				command = readBySystemd(strings.ReplaceAll(text, "$$", "$"))
			} else if text, is := strings.CutPrefix(line, "Environment="); is {
				variables = append(variables, readBySystemd(text)...)
			}
		}
		if diff := cmp.Diff(want, command); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"CODEX_HOME=/c", "XDG_CONFIG_HOME=" + odd.Env["XDG_CONFIG_HOME"]}, variables); diff != "" {
			t.Error(diff)
		}
	}
}

// readBySystemd splits quoted words as systemd.syntax(7) and systemd.unit(5) say.
func readBySystemd(line string) (words []string) {
	for _, word := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, `"`), "\"\n"), `" "`) {
		words = append(words, strings.NewReplacer(`\\`, `\`, `\"`, `"`, "%%", "%").Replace(word))
	}
	return words
}

// TestLaunchdAgent: the property list is well-formed, and has the command's words.
func TestLaunchdAgent(t *testing.T) {
	var texts []string
	text := ""
	for d := xml.NewDecoder(strings.NewReader(planned(t, "launchd", odd)[0].Text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			text = ""
		case xml.CharData:
			text = string(token)
		case xml.EndElement:
			if token.Name.Local == "string" {
				texts = append(texts, text)
			}
		}
	}
	want := append([]string{"hindsql.weekly", "Background"}, odd.Command...)
	want = append(want, odd.Env["CODEX_HOME"], odd.Env["XDG_CONFIG_HOME"])
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}

func TestTimerCheck(t *testing.T) {
	if err := odd.Check(); err != nil {
		t.Error(err)
	}
	for _, word := range []string{"a\nb", "a\rb", "a\x00b", "a\x1bb", "a\x7fb", "a\xffb", "a\ufffeb"} {
		if err := (schedule.Timer{Name: "a", Command: []string{word}}).Check(); err == nil || !strings.Contains(err.Error(), "no scheduler can be told") {
			t.Errorf("%q: %v", word, err)
		}
		if err := (schedule.Timer{Name: "a", Env: map[string]string{"A": word}}).Check(); err == nil {
			t.Errorf("%q in a variable: no error", word)
		}
	}
	for _, name := range []string{"", "../a", "a b", "A", "a--b", "a*"} {
		if err := (schedule.Timer{Name: name}).Check(); err == nil {
			t.Errorf("name %q: no error", name)
		}
	}
}

// TestTask: the task has the elements of Microsoft's schema in its order, and a program
// that splits its command line as Windows' programs do gets the words of the command.
func TestTask(t *testing.T) {
	var order []string
	words := ""
	text := strings.Replace(planned(t, "schtasks", odd)[0].Text, "UTF-16", "UTF-8", 1) // the decoder reads only UTF-8
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if order = append(order, start.Name.Local); start.Name.Local == "Arguments" {
				if err := d.DecodeElement(&words, &start); err != nil {
					t.Fatal(err)
				}
			}
			if start.Name.Space != "http://schemas.microsoft.com/windows/2004/02/mit/task" {
				t.Errorf("%s is of %q", start.Name.Local, start.Name.Space)
			}
		}
	}
	want := "Task RegistrationInfo Description Triggers CalendarTrigger StartBoundary ScheduleByWeek WeeksInterval DaysOfWeek Monday " +
		"Principals Principal LogonType RunLevel Settings DisallowStartIfOnBatteries StopIfGoingOnBatteries MultipleInstancesPolicy " +
		"Priority StartWhenAvailable ExecutionTimeLimit Actions Exec Command Arguments"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("elements %s, want %s", got, want)
	}
	got := splitByWindows(words)
	if diff := cmp.Diff(append(append([]string{"--headless"}, odd.Command...), "--env", "CODEX_HOME=/c", "--env", "XDG_CONFIG_HOME="+odd.Env["XDG_CONFIG_HOME"]), got); diff != "" {
		t.Errorf("%s: %s", words, diff)
	}
}

// splitByWindows splits a command line as CommandLineToArgvW: 2n backslashes before a
// quote are n backslashes, and the quote begins or ends a part with blanks; one more
// makes the quote a character.
func splitByWindows(line string) (words []string) {
	word, begun, quoted := "", false, false
	for i := 0; i < len(line); i++ {
		slashes := len(line[i:]) - len(strings.TrimLeft(line[i:], `\`))
		next := strings.HasPrefix(line[i+slashes:], `"`)
		switch {
		case slashes > 0 && next:
			word, begun = word+strings.Repeat(`\`, slashes/2), true
			i += slashes - 1 + slashes%2
			if slashes%2 == 1 {
				word += `"`
			}
		case line[i] == '"':
			quoted, begun = !quoted, true
		case line[i] == ' ' && !quoted:
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+line[i:i+1], true
		}
	}
	if begun {
		words = append(words, word)
	}
	return words
}
