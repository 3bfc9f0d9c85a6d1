package prompt

import (
	"regexp"
	"strings"

	"hindsql/internal/sqltext"
)

// input splits lines into statements and commands. Typed lines, files and standard
// input all pass through an input. input runs nothing, so a copy can tell what a line
// would do.
type input struct {
	find     func(name string) *command
	numbered bool   // the lines come from a file: statements keep their line numbers
	buffer   string // the beginning of a statement that isn't complete yet
	inside   bool   // buffer ends in a string or a comment
	line     int    // lines taken up to now
	above    int    // lines before the line in which buffer begins
}

// step is a statement to run, or a command.
type step struct {
	sql     string // a statement, without its semicolon
	command string // a command, with its arguments
	buffer  string // for a command: the unfinished statement at that moment
	line    int    // first line of the step, 1-based
}

var (
	startsCommand = regexp.MustCompile(`^(\.[a-zA-Z]|\\)`)
	bare          = regexp.MustCompile(`^(quit|exit|help);?$`) // typed alone, these words are commands
	nextCommand   = regexp.MustCompile(`\s\\[a-zA-Z?!]`)
)

// isCommand reports whether a line is a command. Inside a statement, only a line with a
// backslash is a command: SQL may continue with a dot.
func (in *input) isCommand(line string) bool {
	switch {
	case in.buffer == "":
		return startsCommand.MatchString(line) || !in.numbered && bare.MatchString(line)
	case in.inside:
		return false
	}
	return strings.HasPrefix(line, `\`)
}

// take consumes a line, given without its end, and returns the steps that the line
// completes. A backslash in the midst of SQL, outside strings and comments, begins a
// command.
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

// end returns the last statement of a file, which needs no semicolon.
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

// commands splits a text that begins with a command into steps. Several commands with a
// backslash may follow each other.
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

// lines holds the complete lines of an entry being typed, with the input before and
// after them. The Editor asks about the entry at the end of each line, so lines saves
// parsing the earlier lines again.
type lines struct {
	text   string
	before input
	after  input
}

// behind returns the input after before has taken all lines of a text. Each line has
// its end.
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

// nextOf returns the place of the next command in a text, outside quotes, or -1.
func nextOf(text string) int {
	for _, at := range nextCommand.FindAllStringIndex(text, -1) {
		before := text[:at[0]]
		if strings.Count(before, "'")%2 == 0 && strings.Count(before, `"`)%2 == 0 {
			return at[0]
		}
	}
	return -1
}
