package prompt

import (
	"regexp"
	"strings"

	"hindsql/internal/sqltext"
)

// input turns lines into statements and commands. Typed lines, files and standard
// input all go through it. It runs nothing, so that a copy can be asked what a
// line would do.
type input struct {
	find     func(name string) *command
	numbered bool   // the lines are those of a file: statements keep their places in it
	buffer   string // a statement that is still being written
	inside   bool   // buffer ends in a string or a comment
	line     int    // lines taken so far
	above    int    // lines before the one that buffer begins in
}

// step is a statement to run, or a command.
type step struct {
	sql     string // a statement, without its semicolon
	command string // a command, with its arguments
	buffer  string // of a command: what was being written when it came
	line    int    // where it begins, 1-based
}

var (
	startsCommand = regexp.MustCompile(`^(\.[a-zA-Z]|\\)`)
	bare          = regexp.MustCompile(`^(quit|exit|help);?$`) // typed alone, they are no SQL
	nextCommand   = regexp.MustCompile(`\s\\[a-zA-Z?!]`)
)

// isCommand says whether a line is a command. Inside a statement only a line with
// a backslash is one: SQL may continue with a dot.
func (in *input) isCommand(line string) bool {
	switch {
	case in.buffer == "":
		return startsCommand.MatchString(line) || !in.numbered && bare.MatchString(line)
	case in.inside:
		return false
	}
	return strings.HasPrefix(line, `\`)
}

// take takes a line without its end, and gives the steps that it completes. A
// backslash in the midst of SQL, outside strings and comments, begins a command.
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

// end gives the last statement of a file, which needs no semicolon.
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

// commands are those of a text that begins with one. Several with a backslash may
// follow each other.
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

// lines are those of an entry that is being typed, and the input behind them. They are
// kept because the entry is asked about at the end of each of its lines.
type lines struct {
	text   string
	before input
	after  input
}

// behind is the input behind lines, each with its end, that are typed after others.
func (l *lines) behind(before input, text string) input {
	added, longer := strings.CutPrefix(text, l.text)
	if !longer || before.line != l.before.line || before.buffer != l.before.buffer {
		added, l.before, l.after = text, before, before
	}
	for line := range strings.Lines(added) {
		l.after.take(strings.TrimSuffix(line, "\n"))
	}
	l.text = text
	return l.after
}

// HasCommands says whether a file has commands among its SQL.
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

// nextOf is where in a command, outside quotes, another one begins; -1: nowhere.
func nextOf(text string) int {
	for _, at := range nextCommand.FindAllStringIndex(text, -1) {
		before := text[:at[0]]
		if strings.Count(before, "'")%2 == 0 && strings.Count(before, `"`)%2 == 0 {
			return at[0]
		}
	}
	return -1
}
