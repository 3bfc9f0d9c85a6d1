package prompt

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/whole"
)

// onTerminal is the variable that turns the test binary into the prompt of a test. Its
// value is the path of the history file.
const onTerminal = "HINDSQL_TEST_PROMPT"

func TestMain(m *testing.M) {
	if history := os.Getenv(onTerminal); history != "" {
		run := runPrompt
		if history == onlyKeys {
			run = echoEntries
		}
		if err := run(history); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// runPrompt runs a prompt without logs. Each entry of a test selects a text between two
// #; its result shows the text's bytes.
func runPrompt(history string) error {
	ctx := context.Background()
	st, err := ask.Open(ctx, engine.Config{Store: filepath.Join(filepath.Dir(history), "x.duckdb")}, nil)
	if err != nil {
		return err
	}
	defer st.Close()
	s, err := st.Session(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	terminal := NewTerminal(ctx)
	defer terminal.Close()
	return New(Config{
		View:   &term.View{Session: s, Err: os.Stderr},
		Editor: terminal, Out: os.Stdout, Err: os.Stderr, Settings: Settings{Format: "csv", Bail: true},
		Tools: ToolsOf("linux", func(string) (string, bool) { return "", false }), History: history,
	}).Run(ctx)
}

// typist types at a prompt that runs on a terminal of its own, in another process.
type typist struct {
	t      *testing.T
	master *os.File
	shown  chan string // output of the prompt
	seen   string
}

// sitDown starts a prompt on a terminal of 80 columns.
func sitDown(t *testing.T, history string) *typist {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal here:", err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 34, Col: 80}); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), onTerminal+"="+history, "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &typist{t: t, master: master, shown: make(chan string, 1000)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		master.Close()
	})
	go p.watch()
	p.wait(ready)
	return p
}

// leave ends the prompt.
func (p *typist) leave() {
	p.t.Helper()
	p.send(control('D'))
	for range p.shown {
	}
}

func (p *typist) watch() {
	chunk := make([]byte, 65536)
	for {
		n, err := p.master.Read(chunk)
		if n > 0 {
			p.shown <- string(chunk[:n])
		}
		if err != nil {
			close(p.shown)
			return
		}
	}
}

// wait waits until the prompt's output matches an expression, and returns the match
// with its groups. The output behind the match is left for the next wait.
func (p *typist) wait(sought *regexp.Regexp) []string {
	p.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		if at := sought.FindStringSubmatchIndex(p.seen); at != nil {
			found := sought.FindStringSubmatch(p.seen)
			p.seen = p.seen[at[1]:]
			return found
		}
		select {
		case text, ok := <-p.shown:
			if !ok {
				p.t.Fatalf("the prompt ended; it wrote %q", p.seen)
			}
			p.seen += text
		case <-deadline:
			p.t.Fatalf("nothing like %s in %q", sought, p.seen)
		}
	}
}

// send sends bytes in one write.
func (p *typist) send(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// pace is the typist's pause between keys: usually long enough for the prompt to read
// each key alone.
const pace = 2 * time.Millisecond

// in sends the parts of a text in sequence, each after a pause.
func (p *typist) in(parts []string) {
	p.t.Helper()
	for _, part := range parts {
		p.send(part)
		time.Sleep(pace)
	}
}

var told = regexp.MustCompile(`#([0-9A-F]*)#`)

// ready matches the output of a prompt that is ready to read keys. Keys sent earlier
// would be edited by the terminal itself.
var ready = regexp.MustCompile(`\[\?2004h\x1b\[\?25l\r\x1b\[J` + firstPrompt)

// bytes returns the bytes of the text that the statement selected, in base 16.
func (p *typist) bytes() string {
	p.t.Helper()
	found := p.wait(told)[1]
	p.wait(ready)
	return found
}

// Keys, as current terminals send them.
const (
	enter, tabulator = "\r", "\t"

	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	home, end, del        = "\x1b[H", "\x1b[F", "\x1b[3~"
)

func control(letter byte) string { return string(letter & 0x1f) }

const (
	opening = "SELECT '#' || hex(encode('"
	closing = "')) || '#';"
)

// oneByOne returns a text's bytes.
func oneByOne(text string) (parts []string) {
	for i := range len(text) {
		parts = append(parts, text[i:i+1])
	}
	return parts
}

func hexOf(text string) string { return fmt.Sprintf("%X", text) }

// written holds texts that line editors easily get wrong. The first and last character
// of each text are separate.
var written = []struct{ name, first, between, last string }{
	{"Latin", "ä", "öüßéè", "ñ"},
	{"decomposed Latin", "e\u0301", "t", "e\u0301"},
	{"Hindi", "हि", "न्दी ", "में"},
	{"Thai", "ที่", "", "นี่"},
	{"Japanese", "日", "本", "語"},
	{"Korean", "한", "국", "어"},
	{"decomposed Korean", "\u1112\u1161\u11ab", "x", "\u1100\u116e\u11a8"},
	{"Arabic", "مُ", "حَمَّ", "د"},
	{"flags", "🇩🇪", "🇰🇷", "🇯🇵"},
	{"families", "👩\u200d👩\u200d👧\u200d👦", "", "👨\u200d👩\u200d👧"},
}

// TestTypedTextIsKept types texts in the middle of a word: in one write, one code point
// at a time, and one byte at a time.
func TestTypedTextIsKept(t *testing.T) {
	p := sitDown(t, filepath.Join(t.TempDir(), "history"))
	for _, w := range written[:whole.Or(len(written), len(written)/3)] {
		text := w.first + w.between + w.last
		p.send(opening + "abcdef" + closing)
		p.send(strings.Repeat(left, len(closing)+3))
		p.send(text)
		p.in(append(strings.Split(text, ""), oneByOne(text)...))
		p.send(enter)
		if got, want := p.bytes(), hexOf("abc"+text+text+text+"def"); got != want {
			t.Errorf("%s: the statement has %s, typed was %s", w.name, got, want)
		}
	}
}

// TestEditedTextIsKept checks that a key removes or passes one user-visible character,
// and that a recalled statement has the same bytes, also in another process.
func TestEditedTextIsKept(t *testing.T) {
	history := filepath.Join(t.TempDir(), "history")
	p := sitDown(t, history)
	check := func(name, want string) {
		t.Helper()
		if got := p.bytes(); got != hexOf(want) {
			t.Errorf("%s: the statement has %s, wanted was %s", name, got, hexOf(want))
		}
	}
	for _, w := range written {
		p.send(opening + w.first + w.between + w.last + closing)
		p.send(strings.Repeat(left, len(closing)) + backspace + enter)
		check(w.name+", Backspace", w.first+w.between)

		p.send(up + home + strings.Repeat(right, len(opening)+1) + "x" + w.last + left + left + left + del + enter)
		check(w.name+", Up, Home, Right, Left, Delete", "x"+w.last+w.between)

		p.send(up + control('A') + strings.Repeat(right, len(opening)) + control('K') + control('Y') + control('E') + enter)
		check(w.name+", cut and inserted again", "x"+w.last+w.between)
	}
	p.leave()
	p = sitDown(t, history)
	for i := range written {
		w := written[len(written)-1-i]
		p.send(strings.Repeat(up, 2*i+1) + enter)
		check(w.name+", in another process", "x"+w.last+w.between)
	}
}

// TestKeysAndTextInOneRead checks keys that arrive together with text in one read. Each
// key must work as when it arrives alone.
func TestKeysAndTextInOneRead(t *testing.T) {
	p := sitDown(t, filepath.Join(t.TempDir(), "history"))
	for _, test := range []struct{ name, keys, want string }{
		{"keys in the middle of text", "bd" + left + "c" + home + strings.Repeat(right, len(opening)) + "a" + end + "é", "abcdé"},
		{"bytes that are no UTF-8", "a\xe9b\xff\xfec\xe6\x97", "a\ufffdb\ufffd\ufffdc\ufffd\ufffd"},
		{"a key nobody knows, and a report of the cursor's place", "a\x1b[15~\x1b[1;2Rb\x1b\x1b[1;2R\x1b[[Ac", "abc"},
		{"a paste that is marked", "a\x1b[200~日本\r\nq\rr\n\ts\x1b[201~b", "a日本\nq\nr\n\tsb"},
		{"a paste in the middle of a paste that isn't marked", "ab\r\x1b[200~c\r\x1b[201~\rd", "ab\nc\n\nd"},
		{"words", "eins zwei.drei हिन्दी में" + control('W') + control('W') + "\x1bb\x1bb" + "x" + "\x1bf" + "y" + "\x1bd" + end, "eins xzweiy "},
		{"undone", "ab" + left + right + "ccc" + "\x1b[200~ddd\x1b[201~" + control('_') + end, "abccc"},
		{"a quoted key", "a" + control('V') + "é" + control('V') + tabulator, "aé\t"},
	} {
		p.send(opening + test.keys + closing + enter)
		if got := p.bytes(); got != hexOf(test.want) {
			t.Errorf("%s: the statement has %s, wanted was %s", test.name, got, hexOf(test.want))
		}
	}
	p.send(opening + "日x本語日" + closing + enter)
	p.bytes()
	p.send(control('R') + "日x本" + enter)
	if got := p.bytes(); got != hexOf("日x本語日") {
		t.Errorf("a search: the statement has %s", got)
	}
}

// TestLinesThatArePasted pastes many lines at once: as one entry of many lines, and as
// many entries.
func TestLinesThatArePasted(t *testing.T) {
	p := sitDown(t, filepath.Join(t.TempDir(), "history"))
	lines := strings.Repeat("चौरानबे 日本語\r\tindented\r", 100)
	want := hexOf(strings.ReplaceAll(lines, "\r", "\n"))
	p.send(opening + lines + closing + enter)
	if got := p.bytes(); got != want {
		t.Errorf("lines that aren't marked: the statement has %s, wanted was %s", got, want)
	}
	p.send("\x1b[200~" + opening + lines + closing + "\x1b[201~" + enter)
	if got := p.bytes(); got != want {
		t.Errorf("lines that are marked: the statement has %s, wanted was %s", got, want)
	}
	var statements strings.Builder
	for i := range 20 {
		fmt.Fprintf(&statements, "%s%d\r語%s\r", opening, i, closing)
	}
	p.send(statements.String())
	for i := range 20 {
		if got, want := p.wait(told)[1], hexOf(fmt.Sprintf("%d\n語", i)); got != want {
			t.Errorf("statement %d has %s, wanted was %s", i, got, want)
		}
	}
}
