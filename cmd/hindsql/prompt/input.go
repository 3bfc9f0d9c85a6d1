package prompt

import (
	"strings"

	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
)

// input splits lines into statements and commands. All lines pass through an input:
// typed lines, files and standard input. An input runs nothing. A copy of an input
// therefore can tell what a line would do.
type input struct {
	find     func(name string) *command
	named    func(word string) bool // reports whether a word, typed alone, runs something; nil for a file
	numbered bool                   // the lines come from a file: errors in statements name the file's lines
	buffer   string                 // the beginning of a statement that isn't complete yet
	inside   bool                   // buffer ends in a string or a comment
	line     int                    // number of lines taken up to now
	above    int                    // number of lines before the beginning of buffer
}

// step is a statement to run, or a command.
type step struct {
	sql     string // a statement, without its semicolon
	command string // a command, with its arguments
	buffer  string // for a command: the unfinished statement at that moment
	line    int    // first line of the step, 1-based
}

var (
	startsCommand = pattern.Lazy(`^(\.[a-zA-Z]|\\)`)
	bare          = pattern.Lazy(`^(quit|exit|help);?$`) // typed alone, these words are commands
	bareName      = pattern.Lazy(`^([a-zA-Z][a-zA-Z0-9_-]*)(\s+[a-z][a-z0-9_]*=.*)?;?$`)
	nextCommand   = pattern.Lazy(`\s\\[a-zA-Z?!]`)
)

// isCommand reports whether a line is a command. In an unfinished statement, only a
// line that begins with a backslash is a command, because a line of SQL may begin with
// a dot.
func (in *input) isCommand(line string) bool {
	switch {
	case in.buffer == "":
		return startsCommand.MatchString(line) || !in.numbered && (bare.MatchString(line) || in.isName(line))
	case in.inside:
		return false
	}
	return strings.HasPrefix(line, `\`)
}

// isName reports whether a line is the name of a saved query or table, perhaps with
// parameters, as it would be at the shell.
func (in *input) isName(line string) bool {
	m := bareName.FindStringSubmatch(line)
	return m != nil && in.named != nil && in.named(m[1])
}

// take adds a line, without its line end, and returns the statements and commands that
// are then complete. In the middle of SQL, but outside strings and comments, a
// backslash begins a command.
func (in *input) take(line string) []step {
	in.line++
	if in.buffer == "" {
		in.above = in.line - 1
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
			return nil
		case in.isCommand(trimmed):
			return in.commands(trimmed)
		}
	}
	text := in.buffer + line + "\n"
	if in.buffer != "" && !in.inside && goesOn(line) {
		in.buffer = text
		return nil
	}
	at := sqltext.Backslash(text)
	if at < 0 {
		return in.statements(text)
	}
	before := text[:at]
	if in.numbered || !strings.HasSuffix(before, "\n") {
		before += "\n" // the line's end
	}
	steps := in.statements(before)
	return append(steps, in.commands(strings.TrimSpace(text[at:]))...)
}

// goesOn reports whether a line surely leaves an unfinished statement unfinished, and
// outside strings and comments. The statement's earlier lines then needn't be parsed
// again, so a long statement takes time in proportion to its length.
func goesOn(line string) bool {
	_, rest := sqltext.Split(line + "\n")
	return !rest.Open && !strings.ContainsAny(line, `;\`)
}

// end returns the last statement of a file, which needs no semicolon; empty if no
// statement is unfinished.
func (in *input) end() []step {
	if in.buffer == "" {
		return nil
	}
	return in.statements(in.buffer + ";")
}

func (in *input) statements(text string) (steps []step) {
	ended, rest := sqltext.Split(text)
	for _, s := range ended {
		sql := strings.TrimSpace(s.Text)
		if in.numbered {
			sql = strings.Repeat("\n", in.above) + s.Placed()
		}
		code := strings.TrimLeft(sql, " \t\r\n")
		steps = append(steps, step{sql: sql, line: 1 + strings.Count(sql[:len(sql)-len(code)], "\n")})
	}
	if in.inside = rest.Open; !rest.Open && !rest.IsCode {
		rest.Text = ""
	}
	in.above += strings.Count(text, "\n") - strings.Count(rest.Text, "\n")
	in.buffer = rest.Text
	return steps
}

// commands splits a text that begins with a command into steps. Several backslash
// commands may stand on one line.
func (in *input) commands(text string) (steps []step) {
	for text != "" {
		one := text
		name, args := cutCommand(text)
		c := in.find(name)
		text = ""
		if strings.HasPrefix(one, `\`) && (c == nil || !c.whole) && !strings.HasPrefix(args, "|") {
			if at := nextOf(one); at > 0 {
				one, text = one[:at], strings.TrimSpace(one[at:])
			}
		}
		steps = append(steps, step{command: strings.TrimSpace(one), buffer: in.buffer, line: in.line})
		if c != nil && c.ends {
			in.buffer, in.inside = "", false
		}
	}
	return steps
}

// lines caches the state of the input for the complete lines of an entry being typed.
// The Editor asks at the end of each line whether the entry is complete. With lines,
// the earlier lines needn't be parsed again.
type lines struct {
	text   string
	before input
	after  input
}

// behind returns the state of an input after all lines of a text. Parameter before is
// its state before the text. Each line has its line end.
func (l *lines) behind(before input, text string) input {
	added, longer := strings.CutPrefix(text, l.text)
	if !longer || l.after.find == nil || before.line != l.before.line || before.buffer != l.before.buffer {
		added, l.before, l.after = text, before, before
	}
	for line := range strings.Lines(added) {
		l.after.take(strings.TrimSuffix(line, "\n"))
	}
	l.text = text
	return l.after
}

// HasCommands reports whether a file mixes commands into its SQL.
func HasCommands(text string) bool {
	in := input{numbered: true, find: commands().find}
	for line := range strings.Lines(text) {
		for _, s := range in.take(strings.TrimRight(line, "\r\n")) {
			if s.command != "" {
				return true
			}
		}
	}
	return false
}

// nextOf returns the index of the next command in a text, outside quotes; -1 if none.
func nextOf(text string) int {
	for _, at := range nextCommand.Regexp().FindAllStringIndex(text, -1) {
		before := text[:at[0]]
		if strings.Count(before, "'")%2 == 0 && strings.Count(before, `"`)%2 == 0 {
			return at[0]
		}
	}
	return -1
}
