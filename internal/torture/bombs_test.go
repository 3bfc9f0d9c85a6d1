package torture_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hindsql/internal/torture/attacks"
)

// The exact limits for a stranger's statement.
const (
	mostMemory = 2_400_000_000 // resident memory of a worker
	mostTime   = 34 * time.Second
	mostTries  = 2 * mostTime // with parallel statements, a statement may be run a second time
)

// goneWithin is the time for a program to end: exact in make torture, wide in make
// test, because the machine may be busy.
func goneWithin() time.Duration {
	if os.Getenv("HINDSQL_TORTURE") != "" {
		return 2 * time.Second
	}
	return 10 * time.Second
}

// TestBombs sends each face (a way to send SQL to the program) the statements of
// package attacks, while eight others ask ordinary questions. $HINDSQL_BOMBS is "all"
// for each statement at each face, or a pattern of class and name. If it is unset, as
// many random statements are sent as the time allows.
func TestBombs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked at as Linux tells of them")
	}
	until, chance := share(t)
	const perFace = 4 * time.Second // at least
	order := faces()
	chance.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i, f := range order {
		t.Run(f.name, func(t *testing.T) {
			w := newWorld(t, chance)
			w.succeed("sync")
			d := &drops{world: w, running: f.open(w), watch: newWatch()}
			defer d.watch.end()
			d.begins = func(cmd *exec.Cmd) { d.watch.add(cmd.Process.Pid) }
			if d.cmd != nil {
				d.begins(d.cmd)
			}
			d.right(t, 0)
			for _, a := range chosen(chance, time.Until(until)-time.Duration(len(order)-1-i)*perFace) {
				t.Run(a.Class+"/"+a.What, func(t *testing.T) { d.drop(t, a) })
				if d.over() {
					t.Fatal("the program ended")
				}
			}
		})
	}
}

// chosen returns as many statements as the time allows, in random order. A class that
// takes too long is left out.
func chosen(chance *rand.Rand, left time.Duration) (list []attacks.Attack) {
	all := attacks.All()
	chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if form := os.Getenv("HINDSQL_BOMBS"); form != "" {
		for _, a := range all {
			if form == "all" || regexp.MustCompile(form).MatchString(a.Class+" "+a.What) {
				list = append(list, a)
			}
		}
		return list
	}
	takes := map[string]time.Duration{"crash": time.Second, "names": time.Second / 2, "memory": 20 * time.Second, "time": 32 * time.Second}
	for _, a := range all {
		if left > takes[a.Class] {
			left -= takes[a.Class]
			list = append(list, a)
		}
	}
	return list
}

// drops sends bombs to a face.
type drops struct {
	*world
	*running
	watch *watch
}

func (d *drops) over() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

// right asks question n of eight and checks the answer.
func (d *drops) right(t *testing.T, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), mostTries)
	defer cancel()
	rows := 1000 * (n + 1)
	sql := fmt.Sprintf("SELECT 'right ' || sum(range) || ' ' || (SELECT count(*) > 0 FROM messages) AS answer FROM range(%d)", rows)
	got, err := d.ask(ctx, sql)
	if want := fmt.Sprintf("right %d true", rows*(rows-1)/2); err != nil || !strings.Contains(got, want) {
		t.Errorf("seed %d: no %q: %v %.300s", seed, want, err, tail(got))
	}
}

// wanted holds the expected answer of a face, by class. A memory statement may meet the
// limit of time first, and a time statement the limit of memory.
var wanted = map[string]*regexp.Regexp{
	"crash":  regexp.MustCompile(`the statement crashed DuckDB|stopped at the limit of (time|memory)|safe: .*(crashed|refused)`),
	"time":   regexp.MustCompile(`stopped at the limit of (time|memory)`),
	"memory": regexp.MustCompile(`stopped at the limit of (time|memory)`),
	"names":  regexp.MustCompile(`no table that is here`),
}

// drop sends a bomb (a statement of package attacks) while eight askers are busy. Then
// it asks a question itself.
func (d *drops) drop(t *testing.T, a attacks.Attack) {
	d.watch.forget()
	stop := make(chan struct{})
	var beside sync.WaitGroup
	for n := range 8 {
		if d.cmd == nil {
			break // each statement has its own process
		}
		beside.Go(func() {
			for {
				d.right(t, n)
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*mostTries)
	defer cancel()
	begin := time.Now()
	got, err := d.ask(ctx, a.SQL)
	took := time.Since(begin)
	close(stop)
	beside.Wait()
	done.add("bombs of "+a.Class, 1)
	if err != nil || !wanted[a.Class].MatchString(got) {
		t.Errorf("seed %d: %v %s", seed, err, tail(got))
	}
	if took > mostTries || a.Class == "time" && took > mostTime {
		t.Errorf("seed %d: answered after %v", seed, took)
	}
	d.right(t, 8)
	workers, most := d.watch.most()
	if workers == 0 {
		t.Errorf("seed %d: no worker", seed)
	}
	if most > mostMemory {
		t.Errorf("seed %d: a worker had %d MB", seed, most/1e6)
	}
	t.Logf("%.1f s, %d MB: %.300s", took.Seconds(), most/1e6, strings.TrimSpace(wanted[a.Class].FindString(got)))
}

// TestBombsEnd ends the program during a bomb and checks that all processes of the
// program end soon.
func TestBombsEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked at as Linux tells of them")
	}
	until, chance := share(t)
	endings := []struct {
		name string
		end  func(r *running, p *os.Process)
	}{
		{"SIGTERM", func(_ *running, p *os.Process) { _ = p.Signal(syscall.SIGTERM) }},
		{"SIGINT", func(_ *running, p *os.Process) { _ = p.Signal(os.Interrupt) }},
		{"SIGKILL", func(_ *running, p *os.Process) { _ = p.Kill() }},
		{"end of stdin", func(r *running, _ *os.Process) { _ = r.stdin.Close() }},
	}
	bombs := map[string]string{}
	for _, a := range attacks.All() {
		bombs[a.Class+" "+a.What] = a.SQL
	}
	for _, f := range faces() {
		for _, e := range endings {
			for _, bomb := range []string{"time levenshtein", "time * and * again", "memory a lambda's lists", "memory a lambda's texts"} {
				if e.name == "end of stdin" && f.name != "mcp" || time.Now().After(until) && os.Getenv("HINDSQL_BOMBS") == "" {
					continue
				}
				t.Run(f.name+"/"+e.name+"/"+bomb, func(t *testing.T) {
					if bombs[bomb] == "" {
						t.Fatal("no such bomb")
					}
					w := newWorld(t, chance)
					w.succeed("sync")
					w.endWhile(f, bombs[bomb], e.end)
				})
			}
		}
	}
}

// endWhile ends a face in the middle of a bomb and checks that all processes end.
func (w *world) endWhile(f face, bomb string, end func(*running, *os.Process)) {
	watch := newWatch()
	defer watch.end()
	r := f.open(w)
	first := make(chan *os.Process, 1)
	r.begins = func(cmd *exec.Cmd) { watch.add(cmd.Process.Pid); first <- cmd.Process }
	if r.cmd != nil {
		r.begins(r.cmd)
	}
	ctx, cancel := context.WithCancel(context.Background())
	answered := make(chan string, 1)
	go func() {
		got, _ := r.ask(ctx, bomb)
		answered <- got
	}()
	p := <-first
	select {
	case got := <-answered:
		w.t.Skipf("answered before the end: %.300s", tail(got))
	case <-time.After(time.Duration(500+w.chance.IntN(1500)) * time.Millisecond):
	}
	if workers, _ := watch.most(); workers == 0 {
		w.t.Errorf("seed %d: no worker", seed)
	}
	begin := time.Now()
	end(r, p)
	left := watch.alive()
	for ; len(left) > 0 && time.Since(begin) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		left = watch.alive()
	}
	if took := time.Since(begin); took > goneWithin() {
		w.t.Errorf("seed %d: gone after %v, left %v", seed, took, left)
	}
	done.add("ends while a bomb is at work", 1)
	for _, id := range left {
		if p, err := os.FindProcess(id); err == nil {
			_ = p.Kill()
		}
	}
	cancel()
	<-answered
}

// watch checks processes and their children fifty times a second.
type watch struct {
	mutex   sync.Mutex
	seen    map[int]bool  // by process id: true for a worker
	memory  map[int]int64 // by process id: most memory of a worker
	stopped chan struct{}
}

func newWatch() *watch {
	s := &watch{seen: map[int]bool{}, memory: map[int]int64{}, stopped: make(chan struct{})}
	go func() {
		for {
			s.look()
			select {
			case <-s.stopped:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return s
}

func (s *watch) end() { close(s.stopped) }

func (s *watch) add(id int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.seen[id] = false
}

func (s *watch) look() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for id, p := range processes() {
		if _, ours := s.seen[p.parent]; ours {
			s.seen[id] = p.worker
		}
		if s.seen[id] {
			s.memory[id] = max(s.memory[id], largest(id))
		}
	}
}

// forget clears the measured memory.
func (s *watch) forget() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	clear(s.memory)
}

// most returns the number of workers, and the most memory of a single worker.
func (s *watch) most() (workers int, bytes int64) {
	s.look()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	workers = len(s.memory)
	for _, n := range s.memory {
		bytes = max(bytes, n)
	}
	return workers, bytes
}

// alive returns the processes still running.
func (s *watch) alive() (left []int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	all := processes()
	for id := range s.seen {
		if p, there := all[id]; there && !p.over {
			left = append(left, id)
		}
	}
	return left
}

func tail(s string) string { return s[max(0, len(s)-300):] }
