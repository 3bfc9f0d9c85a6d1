package fleet_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/pull"
	"hindsql/engine/fleet/push"
	"hindsql/engine/redact"
	"hindsql/internal/posix"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// fleet is a set of machines with a common target, a folder or bucket.
type fleet struct {
	t      testing.TB
	dir    string
	target func() (*landing.Target, error)
}

func newFleet(t testing.TB) *fleet {
	dir := t.TempDir()
	return &fleet{t, dir, func() (*landing.Target, error) { return landing.Open(dir, landing.Options{}) }}
}

// pusher is a machine of the fleet.
type pusher struct {
	*home
	fleet       *fleet
	name, state string
	prices      engine.Prices
}

func (f *fleet) machine(name string) *pusher {
	return &pusher{home: newHome(f.t), fleet: f, name: name, state: f.t.TempDir()}
}

func (p *pusher) open() face {
	p.T.Helper()
	c := p.Config()
	c.Machine, c.Hostname, c.Prices = p.name, "host-of-"+p.name, p.prices
	return open(p.T, c)
}

func (p *pusher) options() push.Options {
	p.T.Helper()
	target, err := p.fleet.target()
	must(p.T, err)
	return push.Options{Target: target, State: p.state, Home: p.Dir, Texts: landing.Redacted, Users: push.UserPlain, Redact: redact.New()}
}

func (p *pusher) tryPush(change func(*push.Options)) (push.Report, error) {
	p.T.Helper()
	s := p.open()
	defer s.Close()
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(p.T, err)
	o := p.options()
	if change != nil {
		change(&o)
	}
	return push.Run(context.Background(), s.Session, o)
}

func (p *pusher) push() push.Report {
	p.T.Helper()
	report, err := p.tryPush(nil)
	must(p.T, err)
	return report
}

func (p *pusher) pull() pull.Report {
	p.T.Helper()
	report, err := p.tryPull()
	must(p.T, err)
	return report
}

func (p *pusher) tryPull() (pull.Report, error) { return p.pullWithin(pull.DefaultBounds) }

func (p *pusher) pullWithin(bounds pull.Bounds) (pull.Report, error) {
	p.T.Helper()
	s := p.open()
	defer s.Close()
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(p.T, err)
	return pull.Run(context.Background(), s.Session, pull.Options{Target: p.options().Target, Bounds: bounds})
}

func (p *pusher) rows(query string) []string {
	p.T.Helper()
	s := p.open()
	defer s.Close()
	return rows(p.T, s, query)
}

// sync syncs the machine's store. If full, every log is read again.
func (p *pusher) sync(full bool) {
	p.T.Helper()
	s := p.open()
	defer s.Close()
	_, err := s.Sync(context.Background(), engine.SyncOptions{Full: full})
	must(p.T, err)
}

// pushAll pushes plain texts.
func (p *pusher) pushAll() {
	p.T.Helper()
	_, err := p.tryPush(func(o *push.Options) { o.Texts, o.Redact = landing.Plain, nil })
	must(p.T, err)
}

// pullFrom pulls from the machines of another fleet.
func (p *pusher) pullFrom(other *pusher) {
	p.T.Helper()
	here := *p
	here.fleet = other.fleet
	here.pull()
}

// files returns the content of the machine's landed files, by path.
func (p *pusher) files() map[string]string {
	p.T.Helper()
	return p.fleet.files(p.name)
}

func (f *fleet) files(machine string) map[string]string {
	f.t.Helper()
	all := map[string]string{}
	root := filepath.Join(f.dir, filepath.FromSlash(landing.Root), machine)
	must(f.t, filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	return all
}

// wantWhole checks that all files of the manifest exist with the right size and hash.
func (f *fleet) wantWhole(machine string) *landing.Manifest {
	f.t.Helper()
	files := f.files(machine)
	m, err := landing.Parse([]byte(files[landing.ManifestName]))
	must(f.t, err)
	for _, file := range m.Files {
		if text := files[file.Path]; int64(len(text)) != file.Bytes || sumOf(text) != file.Sum {
			f.t.Errorf("%s: %d bytes, the manifest says %d", file.Path, len(text), file.Bytes)
		}
	}
	return m
}

// talk returns the lines of a toy session on some day.
func talk(session, project string, day, messages int) (lines []string) {
	lines = append(lines, fmt.Sprintf(`{"session":%q,"project":%q}`+"\n", session, project))
	for n := range messages {
		lines = append(lines, fmt.Sprintf(`{"id":"%s-%d","at":"2026-03-%02dT10:00:%02dZ","text":"said %s %d","tokens":%d,"model":"m","call":"c-%[1]s-%[2]d"}`+"\n", session, n, day, n, session, n, 10+n))
	}
	return lines
}

const totals = `SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM messages), (SELECT count(*) FROM tool_calls),
	(SELECT sum(output_tokens) FROM messages), (SELECT sum(message_count) FROM sessions), (SELECT string_agg(text, ',' ORDER BY text) FROM messages)`

// TestPushInBatches: files are the same, byte by byte, whether their rows are sorted at
// once or in batches.
func TestPushInBatches(t *testing.T) {
	t.Parallel()
	p := newFleet(t).machine("m1")
	for n := range 2 {
		var lines []string
		for day := range 6 {
			lines = append(lines, talk(fmt.Sprintf("s-%d-%d", n, day), "/work/p", 1+day, 1+day%3)...)
		}
		p.Write(fmt.Sprintf("%d.jsonl", n), append(lines, `{"id":"late","text":"at no time; API_TOKEN=Xk9'vbQ2"}`+"\n")...)
	}
	pushed := func(texts string, atOnce int64) map[string]string {
		p.fleet = newFleet(t)
		_, err := p.tryPush(func(o *push.Options) { o.Texts, o.MostSorted = texts, atOnce })
		must(t, err)
		p.fleet.wantWhole("m1")
		files := p.files()
		delete(files, landing.ManifestName) // tells its writer and the time
		return files
	}
	for _, texts := range []string{landing.Redacted, landing.Plain}[:whole.Or(2, 1)] {
		want := pushed(texts, 0)
		for _, atOnce := range []int64{5, 1}[:whole.Or(2, 1)] {
			if diff := cmp.Diff(want, pushed(texts, atOnce)); diff != "" || len(want) < 20 {
				t.Errorf("%d files %s, in batches of %d rows (-want +got)\n%.1000s", len(want), texts, atOnce, diff)
			}
		}
	}
}

// TestPushAndPull: three machines push, and a pull makes one store of all their logs. A
// session found on two machines counts once.
func TestPushAndPull(t *testing.T) {
	whole.Test(t, "pushes and pulls a dozen times, 4.5 s of processor time")
	t.Parallel()
	f, all := newFleet(t), newHome(t)
	var machines []*pusher
	for n, name := range []string{"m1", "m2", "m3"} {
		p := f.machine(name)
		for day := range whole.Or(3, 1) {
			log := fmt.Sprintf("%s-%d.jsonl", name, day)
			lines := talk(fmt.Sprintf("s-%s-%d", name, day), "/work/"+name, 1+day+n, 4)
			p.Write(log, lines...)
			all.Write(log, lines...)
		}
		machines = append(machines, p)
	}
	both := talk("both", "/work/both", 9, 5)
	machines[0].Write("both.jsonl", both...)
	machines[1].Write("both.jsonl", both...)
	all.Write("both.jsonl", both...)
	all.Sync()
	for _, p := range machines {
		p.push()
		f.wantWhole(p.name)
	}
	for _, p := range machines {
		if got := p.pull(); len(got.Machines) != 2 {
			t.Errorf("%+v", got)
		}
		if got, want := p.rows(totals), all.Rows(totals); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", p.name, got, want)
		}
		if report := p.pull(); report.Machines[0].Logs+report.Machines[1].Logs > 0 {
			t.Errorf("again: %+v", report)
		}
		if report := p.push(); report.Sent > 0 {
			t.Errorf("what was pulled is pushed: %+v", report)
		}
	}
	s := machines[2].open()
	_, err := s.Sync(context.Background(), engine.SyncOptions{Full: true})
	must(t, err)
	must(t, s.Close())
	if got, want := machines[2].rows(totals), all.Rows(totals); !slices.Equal(got, want) {
		t.Errorf("after a full load %v, want %v", got, want)
	}
	if report := machines[2].pull(); report.Machines[0].Logs > 0 {
		t.Errorf("after a full load all is pulled again: %+v", report)
	}
}

// TestPushOfTheSample: pushing, pulling and loading keeps each agent's rows unchanged.
func TestPushOfTheSample(t *testing.T) {
	whole.Test(t, "compares all tables of the sample, pushed and pulled")
	t.Parallel()
	f := newFleet(t)
	from := sampleHome(t)
	s := open(t, from)
	target, err := landing.Open(f.dir, landing.Options{})
	must(t, err)
	_, err = push.Run(context.Background(), s.Session, push.Options{Target: target, State: t.TempDir(), Texts: landing.Plain, Users: push.UserPlain})
	must(t, err)
	p := f.machine("m2")
	p.pull()
	for _, v := range tables.Views() {
		columns := "* EXCLUDE (cost_estimated_usd)"
		if !slices.ContainsFunc(v.Columns, func(c tables.Column) bool { return c.Name == "cost_estimated_usd" }) {
			columns = "*"
		}
		query := fmt.Sprintf("SELECT count(*), sum(hash(t::VARCHAR)) FROM (SELECT %s FROM %s) t", columns, v.Name)
		if got, want := p.rows(query), rows(t, s, query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", v.Name, got, want)
		}
	}
}

// TestNewPricesPushNothing: another list of prices, such as that of a newer hindsql, changes
// all estimates, but loads no log and pushes no file. A day that changes later goes with
// its new estimates.
func TestNewPricesPushNothing(t *testing.T) {
	whole.Test(t, "loads and pushes four times")
	t.Parallel()
	p := newFleet(t).machine("m1")
	answer := func(n int) string { return line(n, fmt.Sprintf(`,"message_id":"m%d","model":"big","tokens":%d`, n, n)) }
	p.Write("a.jsonl", `{"session":"a"}`+"\n", answer(1), answer(2))
	costing := func(usd float64) engine.Prices {
		return engine.Prices{Mark: fmt.Sprint(usd), Read: func() ([]tables.Price, error) {
			return []tables.Price{{Model: "big", Rates: tables.Rates{Output: usd}}}, nil
		}}
	}
	const sums = "SELECT sum(cost_estimated_usd), (SELECT sum(cost_estimated_usd) FROM sessions) FROM messages"
	loads := "SELECT max(loaded_at) FROM sources"
	p.prices = costing(1)
	p.push()
	before, loaded := p.files(), p.rows(loads)
	if got := p.rows(sums); !slices.Equal(got, []string{"3|3"}) {
		t.Errorf("estimates %v", got)
	}
	p.prices = costing(10)
	if report := p.push(); report.Sent > 0 {
		t.Errorf("a new list pushes again: %+v", report)
	}
	if got := p.rows(sums); !slices.Equal(got, []string{"30|30"}) || !slices.Equal(p.rows(loads), loaded) {
		t.Errorf("estimates %v; loaded at %v, want %v", got, p.rows(loads), loaded)
	}
	for name, text := range p.files() {
		if name != landing.ManifestName && before[name] != text {
			t.Errorf("%s was written", name)
		}
	}
	p.Append("a.jsonl", answer(3))
	p.push()
	landed := "SELECT sum(cost_estimated_usd) FROM read_parquet('" + filepath.Join(p.fleet.dir, landing.Root, "m1", "messages", "*.parquet") + "') WHERE source_id IS NOT NULL AND message_index = 2"
	if got := p.rows(landed); !slices.Equal(got, []string{"30"}) {
		t.Errorf("landed %v", got)
	}
}

// TestPushOfLittle: a push writes only the changed files, and no file if no log
// changed.
func TestPushOfLittle(t *testing.T) {
	whole.Test(t, "loads stores again and again, 2.7 s of processor time")
	t.Parallel()
	p := newFleet(t).machine("m1")
	for day := range 5 {
		p.Write(fmt.Sprintf("%d.jsonl", day), talk(fmt.Sprint("s", day), "/w", 1+day, 3)...)
	}
	first := p.push()
	before := p.files()
	if again := p.push(); !again.Unchanged || first.Unchanged {
		t.Errorf("%+v, then %+v", first, again)
	}
	must(t, touch(p.Path("0.jsonl")))
	p.Append("4.jsonl", `{"id":"new","at":"2026-03-05T11:00:00Z","text":"one more"}`+"\n")
	p.push()
	after := p.files()
	for name := range after {
		day := strings.Contains(name, "/2026-03-05.") || strings.Contains(name, "/"+landing.Undated+".")
		if before[name] != after[name] && name != landing.ManifestName && !day {
			t.Errorf("%s was written", name)
		}
	}
	p.push()
	must(t, os.RemoveAll(p.state))
	if lost := p.push(); lost.Sent > 0 {
		t.Errorf("with its state lost it sends what is there: %+v", lost)
	}
	p.fleet.wantWhole("m1")
	for name, text := range p.files() {
		switch path := filepath.Join(p.fleet.dir, filepath.FromSlash(landing.Root), "m1", filepath.FromSlash(name)); {
		case strings.HasPrefix(name, "messages/2026-03-01"):
			must(t, os.Remove(path))
		case strings.HasPrefix(name, "messages/2026-03-02"):
			must(t, os.WriteFile(path, []byte(text[:len(text)/2]), 0o600))
		}
	}
	p.Append("4.jsonl", `{"id":"newer","at":"2026-03-05T11:00:01Z","text":"one more"}`+"\n")
	p.push()
	p.fleet.wantWhole("m1") // the files deleted from the folder are back
	must(t, os.RemoveAll(filepath.Join(p.fleet.dir, "landing")))
	p.push()
	if m := p.fleet.wantWhole("m1"); m.Generation < 3 || len(m.Files) == 0 {
		t.Errorf("with the target gone: %+v", m)
	}
}

// TestPushFails: if a file can't be written to the target, or only in part, the former
// manifest stays valid. The next push sends the rest.
func TestPushFails(t *testing.T) {
	t.Parallel()
	p := newFleet(t).machine("m1")
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	p.push()
	for n := range whole.Or(12, 2) {
		p.Write(fmt.Sprintf("%d.jsonl", 1+n), talk(fmt.Sprint("s", 1+n), "/w", 2+n, 3)...)
		before := p.fleet.wantWhole("m1").Generation
		_, err := p.tryPush(func(o *push.Options) { o.Target = failing(o.Target, n, n%2 == 0) })
		if now := p.fleet.wantWhole("m1").Generation; (err == nil) != (now > before) {
			t.Errorf("put %d fails: %v, generation %d after %d", n, err, now, before)
		}
	}
	var told []string
	_, err := p.tryPush(func(o *push.Options) {
		o.Progress = func(g export.Progress) { told = append(told, fmt.Sprintf("%s %d/%d", g.Name, g.Done, g.Total)) }
	})
	must(t, err)
	made := slices.IndexFunc(told, func(line string) bool { return strings.HasPrefix(line, "sending") })
	if made < 10 || told[0] != fmt.Sprintf("sessions 0/%d", made) || told[made] != fmt.Sprintf("sending 0/%d", len(told)-made) {
		t.Errorf("the push told of %q", told)
	}
	q := p.fleet.machine("m2")
	q.pull()
	if got, want := q.rows(totals), p.rows(totals); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// failing returns a target that fails at the nth put. If half is set, the failing put
// first writes half of the file.
func failing(t *landing.Target, n int, half bool) *landing.Target {
	failed := *t
	failed.Put = func(ctx context.Context, name string, r io.Reader, size int64) error {
		if n--; n >= 0 {
			return t.Put(ctx, name, r, size)
		}
		if half && !strings.HasSuffix(name, landing.ManifestName) {
			text, _ := io.ReadAll(io.LimitReader(r, size/2))
			_ = t.Put(ctx, name, strings.NewReader(string(text)), int64(len(text)))
		}
		return errors.New("no more room")
	}
	return &failed
}

// TestPullOfTornFiles: a machine with incomplete files keeps its old rows, and the
// other machines are pulled.
func TestPullOfTornFiles(t *testing.T) {
	whole.Test(t, "pulls again and again, 2.7 s of processor time")
	t.Parallel()
	f := newFleet(t)
	p, other, here := f.machine("m1"), f.machine("m2"), f.machine("m3")
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	p.push()
	here.pull()
	p.Write("1.jsonl", talk("s1", "/w", 2, 3)...)
	p.push()
	other.Write("2.jsonl", talk("s2", "/w", 2, 3)...)
	other.push()
	sound := p.files()
	had := here.rows("SELECT count(*) FROM sessions")
	for name, text := range sound {
		if name != landing.ManifestName && !strings.Contains(name, "2026-03-02") {
			continue
		}
		path := filepath.Join(f.dir, filepath.FromSlash(landing.Root), "m1", filepath.FromSlash(name))
		for _, torn := range []string{"", text[:len(text)/2], text[:len(text)-1] + "x"}[:whole.Or(3, 1)] {
			must(t, os.WriteFile(path, []byte(torn), 0o600))
			report, err := here.tryPull()
			must(t, err)
			if report.Machines[0].Err == nil || report.Machines[1].Err != nil {
				t.Errorf("%s torn: %+v", name, report)
			}
		}
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if got := here.rows("SELECT count(*) FROM sessions WHERE session_id <> 's2'"); !slices.Equal(got, had) {
			t.Fatalf("%s torn: %v sessions, had %v", name, got, had)
		}
	}
	here.pull()
	if got := here.rows("SELECT count(*) FROM sessions"); got[0] != "3" {
		t.Errorf("%v sessions", got)
	}
}

// TestPushOfPrivate: nothing of a private project leaves. Other projects push no texts
// if texts aren't allowed, and no secrets.
func TestPushOfPrivate(t *testing.T) {
	posix.Links(t)
	t.Parallel()
	const secret = "ghp_" + "x9Yk2LmQ8rT5vW1zA4bC7dE0fG3hJ6kN9pQs"
	for _, texts := range []string{landing.Redacted, landing.NoText} {
		f := newFleet(t)
		p := f.machine("m1")
		private, tree, elsewhere := filepath.Join(p.Dir, "private"), filepath.Join(p.Dir, "private", ".worktrees", "fix"), filepath.Join(p.Dir, "left-out")
		must(t, os.MkdirAll(tree, 0o700))
		must(t, os.WriteFile(filepath.Join(private, push.Marker), nil, 0o600))
		link := filepath.Join(p.Dir, "link")
		must(t, os.Symlink(private, link))
		say := func(text string) string {
			return fmt.Sprintf(`{"id":"%s","at":"2026-03-01T10:00:00Z","text":"planted-%s is %s"}`+"\n", text, text, secret)
		}
		for name, project := range map[string]string{"marked": private, "below": tree, "linked": link, "listed": elsewhere} {
			p.Write("secret/"+name+".jsonl", append(talk("s-"+name, project, 1, 2), say(name))...)
		}
		p.Write("sub.jsonl", fmt.Sprintf(`{"session":"s-sub","project":"/open","kind":"subagent","parent":"s-marked"}`+"\n"), say("sub"))
		p.Write("fork.jsonl", fmt.Sprintf(`{"session":"s-fork","project":"/open","forked":"s-marked"}`+"\n"), say("fork"))
		p.Write("secret/empty.jsonl", "no JSON planted-empty\n")
		p.Write("open.jsonl", append(talk("s-open", "/open", 1, 2), say("open"))...)
		report, err := p.tryPush(func(o *push.Options) { o.Texts, o.LeaveOut = texts, []string{"~/left-out"} })
		must(t, err)
		if len(report.LeftOut) != 4 {
			t.Errorf("left out: %v", report.LeftOut)
		}
		must(t, os.RemoveAll(private)) // private projects stay private after their folder is deleted
		must(t, os.RemoveAll(link))
		p.Append("secret/marked.jsonl", say("later"))
		_, err = p.tryPush(func(o *push.Options) { o.Texts, o.LeaveOut = texts, []string{"~/left-out"} })
		must(t, err)
		all := f.values("m1")
		for _, name := range []string{"marked", "below", "linked", "listed", "sub", "fork", "empty", "later"} {
			if strings.Contains(all, "planted-"+name) || strings.Contains(all, "s-"+name+"\n") {
				t.Errorf("%s: %s left", texts, name)
			}
		}
		if strings.Contains(all, secret) {
			t.Errorf("%s: a secret left", texts)
		}
		if want := texts == landing.Redacted; strings.Contains(all, "planted-open") != want || strings.Contains(all, "/open") != want || strings.Contains(all, "host-of-m1") != want {
			t.Errorf("%s: other texts are %s", texts, all)
		}
		if !strings.Contains(all, "s-open") {
			t.Errorf("%s: no session left", texts)
		}
	}
}

// values returns all texts in a machine's files, one a line, and the manifest.
func (f *fleet) values(machine string) string {
	f.t.Helper()
	files := f.files(machine)
	var all strings.Builder
	s := open(f.t, engine.Config{Store: filepath.Join(f.t.TempDir(), "x.duckdb"), Timezone: "UTC"})
	for name, text := range files {
		all.WriteString(name + "\n")
		if !strings.HasSuffix(name, ".parquet") {
			all.WriteString(text)
			continue
		}
		path := filepath.Join(f.dir, filepath.FromSlash(landing.Root), machine, filepath.FromSlash(name))
		must(f.t, s.Store.Each(context.Background(), fmt.Sprintf("SELECT t::VARCHAR FROM (UNPIVOT (SELECT COLUMNS(*)::VARCHAR FROM read_parquet('%s')) ON COLUMNS(*)) AS u(n, t) UNION ALL SELECT decode(value) FROM parquet_kv_metadata('%[1]s')", path),
			func(scan func(...any) error) error {
				var value string
				err := scan(&value)
				all.WriteString(value + "\n")
				return err
			}))
	}
	return all.String()
}

// TestForget: a tombstone replaces the machine's pushed files. The machine can't push
// before a consent, and other machines drop its rows.
func TestForget(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	p, here := f.machine("m1"), f.machine("m2")
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	p.push()
	here.pull()
	must(t, os.WriteFile(filepath.Join(f.dir, filepath.FromSlash(landing.Root), "m1", "messages", ".hindsql-half"), []byte("what a killed push left"), 0o600))
	must(t, p.forget())
	if files := p.files(); len(files) != 1 || files[landing.TombstoneName] == "" {
		t.Errorf("left: %v", files)
	}
	var forgotten *push.Forgotten
	if _, err := p.tryPush(nil); !errors.As(err, &forgotten) {
		t.Errorf("%v", err)
	}
	must(t, os.RemoveAll(p.state))
	if _, err := p.tryPush(nil); !errors.As(err, &forgotten) {
		t.Errorf("with the state lost: %v", err)
	}
	if report := here.pull(); !report.Machines[0].Refused || here.rows("SELECT count(*) FROM messages")[0] != "0" {
		t.Errorf("%+v", report)
	}
	_, err := p.tryPush(func(o *push.Options) { o.Consent = true })
	must(t, err)
	p.push()
	if here.pull(); here.rows("SELECT count(*) FROM messages")[0] != "3" {
		t.Error("after the consent nothing comes")
	}
	must(t, p.forget())
	must(t, os.RemoveAll(p.state))
	if _, err := p.tryPush(nil); !errors.As(err, &forgotten) {
		t.Errorf("forgotten again, with the state lost: %v", err)
	}
}

func (p *pusher) forget() error {
	p.T.Helper()
	s := p.open()
	defer s.Close()
	_, err := push.Forget(context.Background(), s.Store, p.options())
	return err
}

// TestForgetNothing: if the target has no files of the machine, or files of another
// machine with its id, Forget fails and writes no tombstone.
func TestForgetNothing(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	p, twin := f.machine("m1"), f.machine("m1")
	if err := p.forget(); err == nil || len(p.files0()) > 0 {
		t.Errorf("%v, and %v lies there", err, p.files0())
	}
	p.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	p.push()
	must(t, os.RemoveAll(filepath.Join(f.dir, "landing")))
	twin.push()
	if err := p.forget(); !errors.As(err, new(*push.IDConflict)) {
		t.Errorf("another machine's: %v", err)
	}
	must(t, twin.forget())
}

// TestOneIDTwice: of two machines with the same id, the machine that finds the other's
// manifest instead of its own is refused.
func TestOneIDTwice(t *testing.T) {
	whole.Test(t, "pushes from machines of one id, and pulls, eight times")
	t.Parallel()
	f := newFleet(t)
	a, b := f.machine("m1"), f.machine("m1")
	a.Write("0.jsonl", talk("s0", "/w", 1, 3)...)
	a.push()
	b.Write("1.jsonl", talk("s1", "/w", 1, 3)...)
	b.push()
	a.Write("2.jsonl", talk("s2", "/w", 2, 3)...)
	var taken *push.IDConflict
	if _, err := a.tryPush(nil); !errors.As(err, &taken) || !strings.Contains(err.Error(), "machine new") {
		t.Errorf("%v", err)
	}
	a.name = "m2" // as a copied home with a new id
	a.push()
	here := f.machine("m3")
	here.pull()
	if got := here.rows("SELECT count(*), count(DISTINCT session_id) FROM sessions"); got[0] != "3|3" {
		t.Errorf("%v", got)
	}
	a.name = "m1"
	_, err := a.tryPush(func(o *push.Options) { o.TakeOver = true })
	must(t, err)
}

// TestWriteOnly: if the target can't be read, a push relies on its local state.
func TestWriteOnly(t *testing.T) {
	whole.Test(t, "pushes again and again, 1.3 s of processor time")
	t.Parallel()
	p := newFleet(t).machine("m1")
	blind := func(o *push.Options) {
		target := *o.Target
		target.Get = func(context.Context, string) (io.ReadCloser, error) { return nil, os.ErrPermission }
		o.Target = &target
	}
	for day := range 3 {
		p.Write(fmt.Sprintf("%d.jsonl", day), talk(fmt.Sprint("s", day), "/w", 1+day, 3)...)
		_, err := p.tryPush(blind)
		must(t, err)
		if m := p.fleet.wantWhole("m1"); m.Generation != int64(1+day) || day > 0 && len(m.Superseded) == 0 {
			t.Errorf("generation %d, %d superseded", m.Generation, len(m.Superseded))
		}
	}
	if report, err := p.tryPush(blind); err != nil || !report.Unchanged {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestTidy: superseded files are deleted after a day, unless a committer deletes them.
func TestTidy(t *testing.T) {
	whole.Test(t, "pushes again and again, 1.6 s of processor time")
	t.Parallel()
	p := newFleet(t).machine("m1")
	grow := func(n int, later time.Duration) push.Report {
		p.Write("0.jsonl", talk("s0", "/w", 1, n)...)
		for name := range p.files0() {
			old := time.Now().Add(-72 * time.Hour)
			must(t, os.Chtimes(name, old, old))
		}
		report, err := p.tryPush(func(o *push.Options) { o.Now = func() time.Time { return time.Now().Add(later) } })
		must(t, err)
		return report
	}
	grow(1, 0)
	if report := grow(2, time.Hour); report.Removed > 0 {
		t.Errorf("too early: %+v", report)
	}
	if report := grow(3, 30*time.Hour); report.Removed == 0 {
		t.Errorf("%+v", report)
	}
	m := p.fleet.wantWhole("m1")
	if got, want := len(p.files()), 1+len(m.Files)+len(m.Superseded); got != want {
		t.Errorf("%d files, want %d", got, want)
	}
	must(t, os.WriteFile(filepath.Join(p.fleet.dir, filepath.FromSlash(landing.Root), landing.CommitterName), []byte("{}"), 0o600))
	if report := grow(4, 90*time.Hour); report.Removed > 0 {
		t.Errorf("with a committer: %+v", report)
	}
}

// files0 returns the paths of the machine's files, if any.
func (p *pusher) files0() map[string]bool {
	all := map[string]bool{}
	_ = filepath.WalkDir(p.fleet.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all[path] = true
		}
		return nil
	})
	return all
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// TestPushWithoutTexts: without texts, ids, models and numbers still leave. A pull
// finds fewer copies and clears, because some are recognised only by texts.
func TestPushWithoutTexts(t *testing.T) {
	whole.Test(t, "pushes and pulls the sample")
	t.Parallel()
	f := newFleet(t)
	s := open(t, sampleHome(t))
	target, err := landing.Open(f.dir, landing.Options{})
	must(t, err)
	_, err = push.Run(context.Background(), s.Session, push.Options{Target: target, State: t.TempDir(), Texts: landing.NoText, Users: push.UserNone, Redact: redact.New()})
	must(t, err)
	p := f.machine("m2")
	p.pull()
	if again := p.pull(); again.Machines[0].Logs > 0 { // a sync saw logs without paths before
		t.Errorf("again: %+v", again)
	}
	for _, query := range []string{
		"SELECT count(DISTINCT session_id), count(model), sum(output_tokens) FROM messages",
		"SELECT count(session_id), count(agent), count(started_at) FROM sessions",
		"SELECT count(tool_use_id), string_agg(DISTINCT status ORDER BY status) FROM tool_calls",
	} {
		if got, want := p.rows(query), rows(t, s, query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if got := p.rows(`SELECT count(text), count(thinking), count(project), count(extra), count("user"), count(host) FROM messages`); got[0] != "0|0|0|0|0|0" {
		t.Errorf("texts: %v", got)
	}
}
