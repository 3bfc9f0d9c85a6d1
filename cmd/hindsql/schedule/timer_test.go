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
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/schedule"
)

// odd is a timer whose words need every kind of quoting.
var odd = schedule.Timer{
	Command: []string{"/opt/my apps/hindsql", "--store", `/data/it's 100% "mine" $HOME \ é <&>.duckdb`, "report", "due", "--quiet"},
	Env:     map[string]string{"XDG_CONFIG_HOME": `/home/a b/100%/$x"\`, "CODEX_HOME": "/c"},
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
	timer.Command = append(timer.Command, `a\%b`, `a\\%b\\`, `\'%`, "50%", "%%", "`id`", "#x", "\t", "")
	line := strings.Split(timer.CronLines(), "\n")[1]
	command, ok := strings.CutPrefix(line, "*/5 * * * * ")
	if !ok {
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

// TestCrontab: other lines of a crontab stay unchanged.
func TestCrontab(t *testing.T) {
	for _, crontab := range []string{"", "MAILTO=me\n0 5 * * * backup\n", "# no end", "\n\n# x\n"} {
		with, err := odd.InCrontab(crontab)
		if err != nil {
			t.Fatal(err)
		}
		again, err := schedule.Timer{Command: []string{"/bin/hindsql", "report", "due"}}.InCrontab(with)
		if err != nil || strings.Count(again, "report") < 3 || strings.Contains(again, "CODEX") {
			t.Errorf("%v: %s", err, again)
		}
		rest, had, err := schedule.WithoutTimer(again)
		if err != nil || !had || strings.TrimSuffix(rest, "\n") != strings.TrimSuffix(crontab, "\n") {
			t.Errorf("%q became %q: %v, %v", crontab, rest, had, err)
		}
	}
	with, _ := odd.InCrontab("1 1 * * * mine\n")
	for _, broken := range []string{strings.Replace(with, "# hindsql report: end.\n", "", 1), strings.Replace(with, "*/5", "0 0 * * * mine\n*/5", 1)} {
		if _, _, err := schedule.WithoutTimer(broken); err == nil {
			t.Errorf("no error: %s", broken)
		}
	}
}

// TestSystemdAccepts: systemd's own check finds no fault.
func TestSystemdAccepts(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here")
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
	service, unit := filepath.Join(dir, "hindsql-report.service"), filepath.Join(dir, "hindsql-report.timer")
	for path, text := range map[string]string{service: timer.SystemdService(), unit: timer.SystemdTimer()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(verify, "--user", "verify", service, unit)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	if said, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(said), "hindsql-report") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestLaunchdAgent: the property list is well-formed, and has the command's words.
func TestLaunchdAgent(t *testing.T) {
	var texts []string
	text := ""
	for d := xml.NewDecoder(strings.NewReader(odd.LaunchdAgent())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text = string(token)
		case xml.EndElement:
			if token.Name.Local == "string" {
				texts = append(texts, text)
			}
		}
	}
	want := append([]string{schedule.LaunchdLabel}, odd.Command...)
	want = append(want, odd.Env["CODEX_HOME"], odd.Env["XDG_CONFIG_HOME"], "Background")
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}

// TestSystemdProgram: if systemd would refuse or change a program's path, the path
// becomes an argument of a shell.
func TestSystemdProgram(t *testing.T) {
	for path, want := range map[string]string{
		"/opt/my 100% é/hindsql": `ExecStart="/opt/my 100%% é/hindsql" "due"`,
		`/opt/$HOME/it's\x`:      `ExecStart="/bin/sh" "-c" "exec \"$$0\" \"$$@\"" "/opt/$$HOME/it's\\x" "due"`,
	} {
		if text := (schedule.Timer{Command: []string{path, "due"}}).SystemdService(); !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%s: want %s in\n%s", path, want, text)
		}
	}
}

func TestTimerCheck(t *testing.T) {
	if err := odd.Check(); err != nil {
		t.Error(err)
	}
	for _, word := range []string{"a\nb", "a\rb", "a\x00b", "a\x1bb", "a\x7fb", "a\xffb", "a\ufffeb"} {
		if err := (schedule.Timer{Command: []string{word}}).Check(); err == nil {
			t.Errorf("%q: no error", word)
		}
	}
	job := schedule.Job{Name: "weekly", Schedule: "hourly", Output: "/a\xff"}
	if err := job.Check(); err == nil || !strings.Contains(err.Error(), "no UTF-8") {
		t.Errorf("%v: want an error", err)
	}
}

// TestJobsFile: Load returns the jobs given to Save. A file written by hand stays.
func TestJobsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hindsql", "schedule.toml")
	if jobs, err := schedule.Load(path); err != nil || jobs != nil {
		t.Errorf("%v, %v", jobs, err)
	}
	jobs := []schedule.Job{
		{Name: "refusals", Schedule: "0 8 * * *"},
		{Name: "weekly", Schedule: "weekly mon 08:00", Output: `/a "b"`, Keep: 3, Notify: `mail -s 'x' "me"`, Retries: -1, Since: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)},
	}
	if err := schedule.Save(path, jobs); err != nil {
		t.Fatal(err)
	}
	got, err := schedule.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(jobs, got); diff != "" {
		t.Error(diff)
	}
	if err := schedule.Save(path, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
	mine := "[reports.weekly]\nschedule = \"daily\"\n"
	if err := os.WriteFile(path, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := schedule.Save(path, jobs); err == nil {
		t.Error("a file by hand was replaced")
	}
	if got, err := schedule.Load(path); err != nil || len(got) != 1 || got[0].Schedule != "daily" {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte(mine+"shedule = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := schedule.Load(path); err == nil || !strings.Contains(err.Error(), "unknown key reports.weekly.shedule") {
		t.Error(err)
	}
}

// TestTask: the task has the elements of Microsoft's schema in its order, and a program
// that splits its command line as Windows' programs do gets the words of the command.
func TestTask(t *testing.T) {
	var order []string
	words := ""
	text := strings.Replace(odd.Task(), "UTF-16", "UTF-8", 1) // the decoder reads only UTF-8
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
	want := "Task RegistrationInfo Description Triggers TimeTrigger Enabled StartBoundary Repetition Interval " +
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
