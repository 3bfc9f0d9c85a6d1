package readers

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// CommandParts splits a command for a POSIX shell into the simple commands that
// it runs, in their order, each as a permission rule could name it: the words
// of the command with one space between them, or, where any further arguments
// are as harmless, the first words and " *". It is nil for a command that is
// no list of plain words joined by && || | and ; on one line, since a rule for
// what looks like one of its parts could then allow another: with a
// redirection, a substitution, a variable, an assignment, a subshell, a job in
// the background, an escape, a quoted operator, or quotes that a rule would
// have to repeat. Nor is one split that a cmdlet is in: PowerShell's grammar is
// another.
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

// partsBy splits the commands of a tool: those of PowerShell in no grammar of ours.
func partsBy(tool string) func(string) []string {
	if name := strings.ToLower(tool); strings.Contains(name, "powershell") || strings.Contains(name, "pwsh") {
		return func(string) []string { return nil }
	}
	return CommandParts
}

// cmdlet is a command of PowerShell's, which no POSIX shell runs.
var cmdlet = Lazy(`^[A-Z][a-z]+-[A-Z][A-Za-z]+$`)

// longestCommand is the most bytes that are split: nobody grants by reading more.
const longestCommand = 4096

// hidesMore is what no plain word holds: control characters and line ends,
// everything beyond ASCII, which may look like something else, substitutions,
// escapes, and shell syntax of other kinds.
var hidesMore = Lazy("[^ -~]|[$`\\\\#!*?{}\\[\\]]")

// quotedOperator is what makes a quoted word look like more than one command.
var quotedOperator = Lazy(`[|&;<>()]`)

// plainWord is a word that means itself to every shell and to every rule.
var plainWord = Lazy(`^[A-Za-z0-9_./:@%+=,~^-]+$`)

// splitter gathers the parts of one command.
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
	plain := 0 // how many of the first words are plain
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
	n := harmless(words[:plain])
	switch {
	case n > 0:
		s.add(strings.Join(words[:n], " ") + ":*")
	case plain == len(words):
		s.add(strings.Join(words, " "))
	default:
		s.unsafe = true // a rule for exactly this would need its quotes
	}
}

// add notes a part, once.
func (s *splitter) add(part string) {
	if !slices.Contains(s.parts, part) {
		s.parts = append(s.parts, part)
	}
}

// wordOf is a word's text; not ok for one that the shell changes, or that
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

// harmlessPrograms are programs, and subcommands, that only look, or do what
// they were granted for whatever further arguments say. Others are suggested as
// they were typed: git push may be granted, and git push --force not.
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

// subcommand is what may stand for the * of "run *": a script's name.
var subcommand = Lazy(`^[a-z][a-z0-9:_-]*$`)

// harmless is how many of the first words a rule needs to name; 0: all of them.
func harmless(words []string) int {
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
