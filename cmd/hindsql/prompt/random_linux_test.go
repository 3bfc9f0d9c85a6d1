package prompt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hindsql/internal/whole"
)

// onlyKeys is a value of [onTerminal]: the test binary only edits entries.
const onlyKeys = "keys"

// echoEntries writes the bytes of each entry, as a prompt's statement does in other
// tests. Ctrl-C between two entries ends nothing.
func echoEntries(string) error {
	signal.Ignore(os.Interrupt)
	t := NewTerminal(context.Background())
	defer t.Close()
	t.Remember([]string{"SELECT 1;", "SELECT a,\n\tb\nFROM t\nWHERE a = 'ü';", "SELECT 'हिन्दी हिन्दी', '漢字テスト';"})
	t.Compose(Composing{
		CanRun: func(text string) bool { return strings.HasSuffix(text, ";") || !strings.Contains(text, "'") },
		Complete: func(before, _ string) (head string, words []string) {
			begin := strings.LastIndexAny(before, " \t\n(,'") + 1
			return before[:begin], completions([]string{"SELECT", "sessions", "session_calls", "session_days", "tokens"}, before[begin:])
		},
	})
	for {
		text, err := t.ReadLine(firstPrompt)
		switch {
		case errors.Is(err, ErrInterrupted):
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			fmt.Printf("#%X#\n", text)
		}
	}
}

// resize changes the terminal's size. The system sends SIGWINCH to the prompt.
func (p *typist) resize(columns, lines int) {
	p.t.Helper()
	if err := unix.IoctlSetWinsize(int(p.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(lines), Col: uint16(columns)}); err != nil {
		p.t.Fatal(err)
	}
}

// drain drops the output of the prompt up to now.
func (p *typist) drain() {
	p.t.Helper()
	for p.seen = ""; ; {
		select {
		case _, ok := <-p.shown:
			if !ok {
				p.t.Fatal("the prompt ended")
			}
		default:
			return
		}
	}
}

// Texts, keys and bytes to choose from. Ctrl-D is left out, because it ends the prompt,
// and Ctrl-S, because it stops a terminal between two entries.
var (
	someTexts = []string{
		"a", "b", " ", "SELECT", "ü", "ß", "漢", "字", "क्षि", "हि", "न्दी", "я", "Привет", "👨‍👩‍👧", "🇩🇪", "e\u0301", "👍🏽", "\u200d", "\u0301", "\u00a0", "(", ")", "'", "\"",
		"`", ",", ";", ".", "\\", "ses", "tok", "1", "ﷺ", "ก็", "한글", "\u202e", "ﬃ", "\ufffc",
	}
	someKeys = []string{
		up, down, right, left, "\x1bOA", "\x1bOB", home, end, "\x1b[1~", "\x1b[4~", del, "\x1b[5~", "\x1b[6~", "\x1b[1;5C", "\x1b[1;5D", "\x1b[1;3C", backspace, ctrlH,
		tabulator, tabulator + tabulator, enter, enter, "\n", "\x01", "\x02", "\x05", "\x06", "\x0b", "\x0c", "\x0e", "\x10", "\x14", "\x15", "\x17", "\x19", "\x1f",
		"\x1bb", "\x1bf", "\x1bd", "\x1bu", "\x1bl", "\x1bc", "\x1bt", "\x1by", "\x1b\x7f", "\x1b.", "\x1b5", shiftTab, ctrlR, ctrlG, "\x1b", ctrlV, ctrlC, "\x18\x15",
		"\x1bOP", "\x1b[15~", "\x1b[24~", "\x1b[200~SELECT\t1,\n क्षि 2\x1b[201~", "\x1b<", "\x1b>", "\x11", "\x18\x18",
	}
	someBytes = []string{"\xff", "\xc3", "\x80"}
)

// TestRandomKeys types random keys. The prompt must live, and after each 500 keys take
// an entry.
func TestRandomKeys(t *testing.T) {
	oneOf := func(random *rand.Rand, list []string) string { return list[random.IntN(len(list))] }
	for seed := 7; seed < 7+whole.Or(3, 1); seed++ {
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		p := sitDown(t, onlyKeys)
		for n := 1; n <= whole.Or(20_000, 500); n++ {
			switch kind := random.IntN(1000); {
			case kind < 500:
				p.send(oneOf(random, someTexts))
			case kind < 970:
				p.send(oneOf(random, someKeys))
			case kind < 985:
				p.send(oneOf(random, someBytes))
			default:
				p.resize(20+random.IntN(100), 5+random.IntN(35))
			}
			time.Sleep(pace / 4)
			p.drain()
			if n%500 == 0 {
				p.expectAnswer(fmt.Sprintf("SELECT %d;", n))
			}
		}
		p.leave()
	}
}

// expectAnswer drops what is typed, and checks that an entry is taken whole.
func (p *typist) expectAnswer(entry string) {
	p.t.Helper()
	time.Sleep(2 * keyTimeout([]byte("\x1b")))
	p.drain()
	p.send(ctrlG + ctrlC)
	p.wait(ready)
	p.send(entry + enter)
	if got := p.bytes(); got != hexOf(entry) {
		p.t.Errorf("the entry has %s, typed was %s", got, hexOf(entry))
	}
}

// TestResizedAtOnce checks that the entry is drawn anew without a key.
func TestResizedAtOnce(t *testing.T) {
	p := sitDown(t, onlyKeys)
	drawn := func(rows ...string) {
		t.Helper()
		p.wait(regexp.MustCompile(regexp.QuoteMeta(strings.Join(rows, paintEnd+"\r\n") + paintEnd)))
	}
	p.send("SELECT 'abcdefghijklmnopqrstuvwxyz'")
	drawn(firstPrompt + "SELECT 'abcdefghijklmnopqrstuvwxyz'")
	p.resize(20, 10)
	drawn(firstPrompt+"SELECT 'abc", "defghijklmnopqrstuvw", "xyz'")
	p.resize(80, 10)
	drawn(firstPrompt + "SELECT 'abcdefghijklmnopqrstuvwxyz'")
}
