package prompt

import (
	"context"
	"errors"
	"os"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
	"golang.org/x/term"
)

// Terminal is the editor of a terminal. An entry may have several lines, which are
// edited together. Between entries the terminal is as it was found.
type Terminal struct {
	ctx       context.Context
	shell     *readline.Shell
	outer     *term.State // as the terminal was found; nil if that is not known
	sign      string
	entries   []string
	recall    recall
	composing Composing

	stdin   *stdin
	inEntry func() bool       // keys go to the entry, not to a search
	library map[string]func() // its own commands, in place of which ours are run
}

// NewTerminal takes over the terminal that the process runs in, until Close.
// When ctx ends, reading a line does.
func NewTerminal(ctx context.Context) *Terminal {
	t := &Terminal{ctx: ctx, shell: readline.NewShell()}
	t.outer, _ = term.GetState(int(os.Stdin.Fd()))
	t.stdin = newStdin()
	t.shell.Prompt.Primary(func() string { return t.sign })
	t.shell.AcceptMultiline = func(line []rune) bool { return t.composing.Whole == nil || t.composing.Whole(string(line)) }
	t.shell.History.Delete()
	t.shell.History.Add("statements", (*entries)(&t.entries))
	t.set(map[string]any{
		"enable-bracketed-paste":       true,  // without it each pasted letter draws the whole entry anew
		"convert-meta":                 false, // which takes UTF-8 apart
		"completion-ignore-case":       true,
		"menu-complete-display-prefix": true,  // the first Tab shows what there is, the next ones choose
		"cursor-position-probe":        false, // it waits for an answer, for each key, that not every terminal gives
		"cursor-emacs":                 "default",
		"completion-selection-style":   "\x1b[7m", // its own is black, which a dark terminal doesn't show
		"bell-style":                   "none",
		"echo-control-characters":      false,
	})
	t.register()
	t.bind()
	return t
}

// bound are keys with our own commands, and those that terminals send for Delete, Home
// and End, as the library doesn't know them all.
var bound = map[string][]string{
	"edit-entry":        {`\M-e`, `\ee`, `\C-x\C-e`},
	"entry-up":          {`\M-[A`, `\e[A`, `\M-OA`, `\eOA`},
	"entry-down":        {`\M-[B`, `\e[B`, `\M-OB`, `\eOB`},
	"delete-char":       {`\e[3~`},
	"skip-csi-sequence": {`\e[`}, // any other key: its letters are no text
	"beginning-of-line": {`\e[1~`, `\e[7~`},
	"end-of-line":       {`\e[4~`, `\e[8~`},
}

func (t *Terminal) bind() {
	for action, sequences := range bound {
		for _, sequence := range sequences {
			_ = t.shell.Config.Bind("emacs", inputrc.Unescape(sequence), action, false)
		}
	}
}

func (t *Terminal) set(settings map[string]any) {
	for name, value := range settings {
		_ = t.shell.Config.Set(name, value)
	}
}

// CompleteWith is that of [Completer].
func (t *Terminal) CompleteWith(complete func(line string, at int) (head string, words []string, tail string)) {
	t.shell.Completer = func(line []rune, cursor int) readline.Completions {
		head, words, _ := complete(string(line), cursor)
		typed := string(line[:cursor])[len(head):]
		return completions(typed, head, words)
	}
}

// completions are the words that may stand in place of what is typed. The library
// takes its own idea of a word where it is told of none, and counts a word's bytes
// where it moves over letters: so behind nothing, and behind letters beyond ASCII,
// only the letter before is replaced, with itself.
func completions(typed, head string, words []string) readline.Completions {
	prefix, drop := typed, 0
	letters := []rune(head + typed)
	if (typed == "" || !isASCII(typed)) && len(letters) > 0 {
		prefix, drop = string(letters[len(letters)-1]), len(typed)
	}
	if !isASCII(prefix) {
		return readline.Completions{}
	}
	candidates := make([]readline.Completion, len(words))
	for i, word := range words {
		value := word
		if prefix != typed {
			value = prefix + word[drop:]
		}
		candidates[i] = readline.Completion{Value: value, Display: word}
	}
	list := readline.CompleteRaw(candidates).NoSort()
	list.PREFIX = prefix
	return list
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Compose is that of [Composer].
func (t *Terminal) Compose(c Composing) {
	t.composing = c
	t.shell.SyntaxHighlighter = func(line []rune) string { return c.Paint(string(line)) }
}

// edit lends the terminal to the user's editor, and takes what it leaves as the
// entry.
func (t *Terminal) edit() {
	if t.composing.Edit == nil {
		return
	}
	resume := t.Lend()
	text, err := t.composing.Edit(string(*t.shell.Line()))
	resume()
	if err != nil {
		t.shell.Hint.SetTemporary(err.Error())
		return
	}
	t.replace(text)
}

// ReadLine is that of [Editor].
func (t *Terminal) ReadLine(sign string) (string, error) {
	type read struct {
		line string
		err  error
	}
	t.sign, t.recall = sign, recall{}
	done := make(chan read, 1)
	release := t.stdin.capture()
	go func() {
		line, err := t.shell.Readline()
		done <- read{line, err}
	}()
	select {
	case r := <-done:
		release()
		if errors.Is(r.err, readline.ErrInterrupt) {
			return "", ErrInterrupted
		}
		return r.line, r.err
	case <-t.ctx.Done(): // the library goes on with its end of stdin
		t.stdin.stop()
		return "", t.ctx.Err()
	}
}

// Remember is that of [Editor].
func (t *Terminal) Remember(list []string) { t.entries = list }

// Size is that of [Screen].
func (t *Terminal) Size() (columns, lines int) {
	columns, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, lines
}

// Lend is that of [Screen].
func (t *Terminal) Lend() (resume func()) {
	fd := int(os.Stdin.Fd())
	inner, err := term.GetState(fd)
	if t.outer == nil || err != nil {
		return func() {}
	}
	listened := t.stdin.stop()
	_ = term.Restore(fd, t.outer)
	return func() {
		_ = term.Restore(fd, inner)
		if listened {
			t.stdin.start()
		}
	}
}

// leave has the terminal mark what is pasted no more: the library does so itself
// only where its line ended.
const leave = "\x1b[?2004l"

// Close gives the terminal back as it was found.
func (t *Terminal) Close() error {
	if t.outer == nil {
		return nil
	}
	if t.ctx.Err() != nil {
		_, _ = os.Stdout.WriteString(leave)
	}
	return term.Restore(int(os.Stdin.Fd()), t.outer)
}

// entries is the history as the library reads it. The prompt writes it.
type entries []string

// Write keeps nothing: the prompt remembers entries, and gives them all anew.
func (e *entries) Write(string) (int, error) { return len(*e), nil }

// GetLine gives an entry, the oldest as 0.
func (e *entries) GetLine(i int) (string, error) {
	if i < 0 || i >= len(*e) {
		return "", errors.New("no such entry")
	}
	return (*e)[i], nil
}

// Len is the number of entries.
func (e *entries) Len() int { return len(*e) }

// Dump gives all entries.
func (e *entries) Dump() any { return []string(*e) }
