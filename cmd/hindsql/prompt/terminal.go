package prompt

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
	"golang.org/x/term"
)

// Terminal is the [Editor] of a terminal, based on a readline library. The user can
// edit an entry of several lines as one text. Between entries, the terminal has its
// original state.
type Terminal struct {
	ctx       context.Context
	shell     *readline.Shell
	outer     *term.State // original state of the terminal; nil if unknown
	sign      string
	entries   []string
	recall    recall
	composing Composing

	stdin   *stdin
	inEntry func() bool       // reports whether the user types into the entry, not into a search
	library map[string]func() // the library's commands that the prompt replaces
}

// NewTerminal takes over the process's terminal until Close. If ctx ends, a running
// ReadLine returns.
func NewTerminal(ctx context.Context) *Terminal {
	t := &Terminal{ctx: ctx, shell: readline.NewShell()}
	t.outer, _ = term.GetState(int(os.Stdin.Fd()))
	t.stdin = newStdin()
	t.shell.Prompt.Primary(func() string { return t.sign })
	t.shell.AcceptMultiline = func(line []rune) bool { return t.composing.Whole == nil || t.composing.Whole(string(line)) }
	t.shell.History.Delete()
	t.shell.History.Add("statements", (*entries)(&t.entries))
	t.set(map[string]any{
		"enable-bracketed-paste":       true,  // without it, each pasted letter redraws the whole entry
		"convert-meta":                 false, // true would split UTF-8 characters
		"completion-ignore-case":       true,
		"menu-complete-display-prefix": true,  // the first Tab lists the words, further Tabs choose one
		"cursor-position-probe":        false, // true would ask the terminal at each key, and some terminals don't answer
		"cursor-emacs":                 "default",
		"completion-selection-style":   "\x1b[7m", // the library's default is black, invisible on a dark terminal
		"bell-style":                   "none",
		"echo-control-characters":      false,
	})
	t.register()
	t.bind()
	return t
}

// bound maps commands to their keys: the prompt's own commands, and the sequences of
// some terminals for Delete, Home and End that the library doesn't know.
var bound = map[string][]string{
	"edit-entry":        {`\M-e`, `\ee`, `\C-x\C-e`},
	"entry-up":          {`\M-[A`, `\e[A`, `\M-OA`, `\eOA`},
	"entry-down":        {`\M-[B`, `\e[B`, `\M-OB`, `\eOB`},
	"delete-char":       {`\e[3~`},
	"skip-csi-sequence": {`\e[`}, // any other special key: without this, its letters would be inserted as text
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

// CompleteWith implements [Completer].
func (t *Terminal) CompleteWith(complete func(line string, at int) (head string, words []string, tail string)) {
	t.shell.Completer = func(line []rune, cursor int) readline.Completions {
		head, words, _ := complete(string(line), cursor)
		typed := string(line[:cursor])[len(head):]
		return completions(typed, head, words)
	}
}

// completions returns the words that may replace the typed text, in the library's form.
// Without a prefix, the library guesses the word itself. With a prefix beyond ASCII,
// the library counts bytes as characters. For an empty typed text or one beyond ASCII,
// completions therefore passes the last character before the cursor as the prefix, and
// words that begin with that character.
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

// Compose implements [Composer].
func (t *Terminal) Compose(c Composing) {
	t.composing = c
	t.shell.Hint.SetProvider(func(line []rune, _ int) []rune {
		if _, height := t.Size(); t.inEntry() {
			return []rune(c.hint(string(line), height))
		}
		return nil
	})
	t.shell.SyntaxHighlighter = func(line []rune) string { return c.Paint(string(line)) }
}

// hint returns the line below an entry of several lines: what ends the entry, or what
// shows all of it, because the library draws no more lines than the screen has. It is
// empty for an entry that Enter runs. height is the screen's, 0 if unknown.
func (c *Composing) hint(text string, height int) string {
	lines := strings.Count(text, "\n") + 1
	switch {
	case lines == 1:
		return ""
	case height > 0 && lines >= height:
		return dimmed("…> taller than the screen; Alt-E opens it in your editor")
	case c.Whole != nil && !c.Whole(text):
		return dimmed("…> ; ends the statement")
	}
	return ""
}

func dimmed(text string) string { return paintComment + text + paintEnd }

// edit opens the entry in the user's editor, and replaces the entry by the edited text.
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

// ReadLine implements [Editor].
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
	case <-t.ctx.Done(): // the library goes on waiting for the pipe
		t.stdin.stop()
		return "", t.ctx.Err()
	}
}

// Remember implements [Editor].
func (t *Terminal) Remember(list []string) { t.entries = list }

// Size implements [Screen].
func (t *Terminal) Size() (columns, lines int) {
	columns, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, lines
}

// Lend implements [Screen].
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

// leave makes a terminal stop marking pastes. The library sends leave only at the end
// of a line, so Close must send leave if ReadLine was cancelled.
const leave = "\x1b[?2004l"

// Close restores the terminal's original state.
func (t *Terminal) Close() error {
	if t.outer == nil {
		return nil
	}
	if t.ctx.Err() != nil {
		_, _ = os.Stdout.WriteString(leave)
	}
	return term.Restore(int(os.Stdin.Fd()), t.outer)
}

// entries is the history as the library reads it. Only the prompt changes the history.
type entries []string

// Write does nothing, because the prompt itself replaces the whole history.
func (e *entries) Write(string) (int, error) { return len(*e), nil }

// GetLine returns an entry. The oldest has index 0.
func (e *entries) GetLine(i int) (string, error) {
	if i < 0 || i >= len(*e) {
		return "", errors.New("no such entry")
	}
	return (*e)[i], nil
}

// Len returns the number of entries.
func (e *entries) Len() int { return len(*e) }

// Dump returns all entries.
func (e *entries) Dump() any { return []string(*e) }
