package schedule_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/queries/report/schedule"
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

func childJobs() []schedule.Job {
	return []schedule.Job{
		{Name: "hour", Schedule: "hourly", Since: childStart}, {Name: "quarter", Schedule: "every 6h", Since: childStart},
		{Name: "day", Schedule: "daily 08:00", Since: childStart}, {Name: "flaky", Schedule: "daily 09:00", Since: childStart},
	}
}

// live is a week of a child: all of them look at the same moments, each as
// fast as it can.
func live(folder string) {
	now := childStart
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
	for ; now.Before(childStart.AddDate(0, 0, 7)); now = now.Add(15 * time.Minute) {
		for _, o := range r.Due(context.Background(), childJobs()) {
			if o.Err != nil {
				fmt.Println(o.Err)
			}
		}
	}
	fmt.Println("done")
}

func note(folder, line string) error {
	file, err := os.OpenFile(filepath.Join(folder, "made"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, line)
	return err
}

func startChild(t *testing.T, folder string) (cmd *exec.Cmd, wait func() string) {
	cmd = exec.Command(os.Args[0], "-test.run", "^$")
	cmd.Env = append(os.Environ(), childVariable+"="+folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, func() string {
		var said []string
		for lines := bufio.NewScanner(out); lines.Scan(); {
			said = append(said, lines.Text())
		}
		cmd.Wait()
		return strings.Join(said, "\n")
	}
}

// TestTwoProcesses: three processes look for what is due at the same moments
// of a week, and make each report once a period.
func TestTwoProcesses(t *testing.T) {
	folder := t.TempDir()
	var waits []func() string
	for range 3 {
		_, wait := startChild(t, folder)
		waits = append(waits, wait)
	}
	for _, wait := range waits {
		if said := wait(); said != "done" {
			t.Errorf("a child said %q", said)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "made"))
	if err != nil {
		t.Fatal(err)
	}
	counts, seen := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, period, _ := strings.Cut(line, " ")
		counts[name]++
		if seen[line] {
			t.Errorf("%s twice for %s", name, period)
		}
		seen[line] = true
	}
	finished := gapless(t, schedule.Journal{Path: filepath.Join(folder, "runs.ndjson")})
	if finished != len(seen) {
		t.Errorf("%d finished runs in the journal, %d made", finished, len(seen))
	}
	// Those that were late by an hour were caught up together with the next.
	if counts["day"] != 7 || counts["quarter"] > 28 || counts["hour"] > 168 || counts["hour"] < 100 {
		t.Errorf("runs: %v", counts)
	}
}

// TestKilledProcesses: however often a process is killed, finished runs follow
// each other without a gap, and none is there twice.
func TestKilledProcesses(t *testing.T) {
	folder := t.TempDir()
	for i := range 12 {
		cmd, wait := startChild(t, folder)
		other, waitOther := startChild(t, folder)
		time.Sleep(time.Duration(20+13*i) * time.Millisecond)
		cmd.Process.Kill()
		other.Process.Kill()
		wait()
		waitOther()
	}
	_, wait := startChild(t, folder)
	if said := wait(); said != "done" {
		t.Errorf("the last child said %q", said)
	}
	j := schedule.Journal{Path: filepath.Join(folder, "runs.ndjson")}
	if n := gapless(t, j); n < 7 {
		t.Errorf("%d runs", n)
	}
	runs, err := j.Runs("")
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
