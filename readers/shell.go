package readers

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hindsql/internal/pattern"
)

// CommandParts splits a command for a POSIX shell into its simple commands, in order.
// Each part has the form of a permission rule: the command's words with one space
// between them, or the first words and ":*" if any further arguments are as harmless.
//
// It returns nil unless the command is a list of plain words joined by && || | and ; on
// one line. Otherwise a rule for an apparent part could allow something else. So it
// rejects a redirection, a substitution, a variable, an assignment, a subshell, a
// background job, an escape, a quoted operator, and quotes that a rule would have to
// repeat. It also rejects a command with a cmdlet, because PowerShell's grammar
// differs.
func CommandParts(command string) []string {
	if len(command) > longestCommand || hidesMore.MatchString(command) {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
	if err != nil || len(file.Last) > 0 {
		return nil
	}
	var s splitter
	for _, statement := range file.Stmts {
		s.statement(statement)
	}
	if s.unsafe {
		return nil
	}
	return s.parts
}

// partsBy returns the function that splits the commands of a tool. PowerShell commands
// are never split: hindsql has no parser for them.
func partsBy(tool string) func(string) []string {
	if name := strings.ToLower(tool); strings.Contains(name, "powershell") || strings.Contains(name, "pwsh") {
		return func(string) []string { return nil }
	}
	return CommandParts
}

// cmdlet matches a PowerShell command. No POSIX shell runs cmdlets.
var cmdlet = pattern.Lazy(`^[A-Z][a-z]+-[A-Z][A-Za-z]+$`)

// longestCommand is the longest command in bytes that is split. No user reads more
// before granting.
const longestCommand = 4096

// hidesMore matches characters outside of plain words: control characters and line
// ends, non-ASCII characters (they may imitate ASCII), substitutions, escapes, and more
// shell syntax.
var hidesMore = pattern.Lazy("[^ -~]|[$`\\\\#!*?{}\\[\\]]")

// quotedOperator matches characters that make a quoted word look like several commands.
var quotedOperator = pattern.Lazy(`[|&;<>()]`)

// plainWord matches a word that every shell and every rule takes literally.
var plainWord = pattern.Lazy(`^[A-Za-z0-9_./:@%+=,~^-]+$`)

// splitter collects the parts of one command.
type splitter struct {
	parts  []string
	unsafe bool
}

func (s *splitter) statement(statement *syntax.Stmt) {
	if statement.Background || statement.Coprocess || statement.Disown || statement.Negated || len(statement.Redirs) > 0 || len(statement.Comments) > 0 {
		s.unsafe = true
		return
	}
	switch command := statement.Cmd.(type) {
	case *syntax.BinaryCmd:
		s.statement(command.X)
		s.statement(command.Y)
	case *syntax.CallExpr:
		s.call(command)
	default:
		s.unsafe = true
	}
}

func (s *splitter) call(call *syntax.CallExpr) {
	if len(call.Assigns) > 0 || len(call.Args) == 0 || cmdlet.MatchString(call.Args[0].Lit()) {
		s.unsafe = true
		return
	}
	words := make([]string, 0, len(call.Args))
	plain := 0 // number of plain words at the start
	for _, arg := range call.Args {
		word, quoted, ok := wordOf(arg)
		if !ok {
			s.unsafe = true
			return
		}
		if !quoted && plain == len(words) && plainWord.MatchString(word) {
			plain++
		}
		words = append(words, word)
	}
	n := countHarmless(words[:plain])
	switch {
	case n > 0:
		s.add(strings.Join(words[:n], " ") + ":*")
	case plain == len(words):
		s.add(strings.Join(words, " "))
	default:
		s.unsafe = true // an exact rule would need the quotes
	}
}

// add appends a part, unless it is already listed.
func (s *splitter) add(part string) {
	if !slices.Contains(s.parts, part) {
		s.parts = append(s.parts, part)
	}
}

// wordOf returns a word's text. It is not ok if the shell changes the word, or the word
// quotes an operator.
func wordOf(word *syntax.Word) (text string, quoted, ok bool) {
	if len(word.Parts) != 1 {
		return "", false, false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value, false, true
	case *syntax.SglQuoted:
		return part.Value, true, !part.Dollar && !quotedOperator.MatchString(part.Value)
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 && !part.Dollar {
			if literal, is := part.Parts[0].(*syntax.Lit); is {
				return literal.Value, true, !quotedOperator.MatchString(literal.Value)
			}
		}
		return "", true, len(part.Parts) == 0 && !part.Dollar
	}
	return "", false, false
}

// harmlessPrograms lists programs, and subcommands, that only read, or do the granted
// work whatever arguments follow. Other commands are suggested exactly as typed: a user
// may grant git push and not git push --force.
var harmlessPrograms = map[string][]string{
	"ls": nil, "pwd": nil, "wc": nil, "which": nil, "whoami": nil, "uname": nil, "tree": nil, "du": nil, "df": nil, "stat": nil,
	"pytest": nil, "tsc": nil,
	"git":     {"status", "log", "show", "blame", "add", "ls-files", "rev-parse", "describe", "shortlog"},
	"go":      {"test", "build", "vet", "doc", "list", "version"},
	"cargo":   {"test", "build", "check", "clippy", "doc"},
	"npm":     {"test", "ls", "run *"},
	"pnpm":    {"test", "ls", "run *"},
	"yarn":    {"test", "run *"},
	"pip":     {"list", "show"},
	"docker":  {"ps", "images", "logs"},
	"kubectl": {"get", "describe", "logs"},
	"gh":      {"pr view", "pr list", "pr diff", "pr checks", "issue view", "issue list", "run view", "run list"},
}

// subcommand matches the * of "run *": a script's name.
var subcommand = pattern.Lazy(`^[a-z][a-z0-9:_-]*$`)

// countHarmless returns how many of the first words a rule must name; 0 means all words.
func countHarmless(words []string) int {
	if len(words) == 0 {
		return 0
	}
	subcommands, known := harmlessPrograms[words[0]]
	if known && subcommands == nil {
		return 1
	}
	for _, sub := range subcommands {
		n := 1
		for _, want := range strings.Fields(sub) {
			if n == len(words) || want != words[n] && (want != "*" || !subcommand.MatchString(words[n])) {
				n = 0
				break
			}
			n++
		}
		if n > 0 {
			return n
		}
	}
	return 0
}
