package schedule_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/internal/whole"
)

const childVariable = "HINDSQL_TEST_CHILD"

func TestMain(m *testing.M) {
	if folder := os.Getenv(childVariable); folder != "" {
		live(folder)
		return
	}
	os.Exit(m.Run())
}

var childStart = time.Date(2026, 11, 16, 0, 2, 0, 0, time.UTC)

// moments yields the times in a week at which the children check for due jobs.
func moments() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for now := childStart; now.Before(childStart.AddDate(0, 0, 7)) && yield(now); now = now.Add(15 * time.Minute) {
		}
	}
}

func childJobs() []schedule.Job {
	return []schedule.Job{
		{Name: "hour", Schedule: "hourly", Since: childStart}, {Name: "quarter", Schedule: "every 6h", Since: childStart},
		{Name: "day", Schedule: "daily 08:00", Since: childStart}, {Name: "flaky", Schedule: "daily 09:00", Since: childStart},
	}
}

// live is the main loop of a child process. It reads times from standard input. At each
// it runs the jobs that are due, then prints a line.
func live(folder string) {
	var now time.Time
	r := schedule.Runner{
		Journal: schedule.Journal{Path: filepath.Join(folder, "runs.ndjson")}, Zone: time.UTC, Now: func() time.Time { return now },
		Run: func(_ context.Context, j schedule.Job, p schedule.Period) (schedule.Made, error) {
			time.Sleep(time.Millisecond)
			if j.Name == "flaky" && os.Getpid()%2 == 0 && now.Minute() < 20 {
				return schedule.Made{}, fmt.Errorf("not yet")
			}
			return schedule.Made{}, note(folder, fmt.Sprintf("%s %s %s", j.Name, p.From.Format(time.RFC3339), p.To.Format(time.RFC3339)))
		},
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		now, _ = time.Parse(time.RFC3339, lines.Text())
		said := looked
		for _, o := range r.Due(context.Background(), childJobs()) {
			if o.Err != nil {
				said = o.Err.Error()
			}
		}
		fmt.Println(said)
	}
}

// looked is the line printed by a child after a check.
const looked = "looked"

func note(folder, line string) error {
	file, err := os.OpenFile(filepath.Join(folder, "made"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, line)
	return err
}

// looker is a child process that checks for due jobs when told. The test tells the
// time, too. With clocks days apart, one child would take the other's runs for those of
// a wrong clock.
type looker struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startLookers(t *testing.T, folder string, n int) (list []*looker) {
	t.Helper()
	for range n {
		cmd := exec.Command(os.Args[0], "-test.run", "^$")
		cmd.Env = append(os.Environ(), childVariable+"="+folder)
		cmd.Stderr = os.Stderr
		in, inErr := cmd.StdinPipe()
		out, outErr := cmd.StdoutPipe()
		if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		list = append(list, &looker{t, cmd, in, bufio.NewScanner(out)})
	}
	return list
}

// look makes all children check at the same time.
func look(list []*looker, now time.Time) {
	for _, l := range list {
		l.begin(now)
	}
	for _, l := range list {
		if l.out.Scan(); l.out.Text() != looked {
			l.t.Errorf("%s: a child said %q", now, l.out.Text())
		}
	}
}

func (l *looker) begin(now time.Time) { fmt.Fprintln(l.in, now.Format(time.RFC3339)) }

func (l *looker) end() {
	l.in.Close()
	l.cmd.Wait()
}

func (l *looker) kill() {
	l.cmd.Process.Kill()
	l.end()
}

// wantWeek checks that each job's runs have no gaps and reach the week's last period.
func wantWeek(t *testing.T, folder string) (made int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "made"))
	if err != nil {
		t.Fatal(err)
	}
	upTo := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, period, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		_, upTo[name], _ = strings.Cut(period, " ")
		made++
	}
	gapless(t, schedule.Journal{Path: filepath.Join(folder, "runs.ndjson")})
	for name, want := range map[string]string{"hour": "2026-11-22T23:00:00Z", "quarter": "2026-11-22T18:00:00Z", "day": "2026-11-22T08:00:00Z", "flaky": "2026-11-22T09:00:00Z"} {
		if upTo[name] != want {
			t.Errorf("%s: runs up to %s, want %s", name, upTo[name], want)
		}
	}
	return made
}

// TestTwoProcesses: three processes check for due jobs at the same times of a week.
// Together they must make each report exactly once for each period.
func TestTwoProcesses(t *testing.T) {
	whole.Test(t, "starts processes, 2.0 s of processor time")
	folder := t.TempDir()
	children := startLookers(t, folder, 3)
	for now := range moments() {
		look(children, now)
	}
	for _, c := range children {
		c.end()
	}
	made := wantWeek(t, folder)
	if want := 24*7 - 1 + 4*7 - 1 + 7 + 7; made != want { // no report is made twice for a period
		t.Errorf("%d reports, want %d", made, want)
	}
}

// TestKilledProcesses: processes are killed while they make reports. The finished runs
// must still cover the week without gaps or repeats.
func TestKilledProcesses(t *testing.T) {
	whole.Test(t, "starts processes, 1.5 s of processor time")
	folder := t.TempDir()
	children := startLookers(t, folder, 2)
	const kills = 12
	step := 0
	for now := range moments() {
		if step++; step%(4*24*7/kills) != 5 { // an hour after midnight and every 14 hours, when reports are due
			look(children, now)
			continue
		}
		for _, c := range children {
			c.begin(now)
		}
		time.Sleep(rand.N(5 * time.Millisecond))
		for _, c := range children {
			c.kill()
		}
		children = startLookers(t, folder, 2)
	}
	for _, c := range children {
		c.end()
	}
	wantWeek(t, folder)
	runs, err := schedule.Journal{Path: filepath.Join(folder, "runs.ndjson")}.Runs("")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, r := range runs {
		if strings.Contains(r.Error, "its process ended") {
			killed++
		}
	}
	t.Logf("%d runs, %d of them killed", len(runs), killed)
}
