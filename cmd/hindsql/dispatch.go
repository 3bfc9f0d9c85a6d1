package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/pattern"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries"
)

// dispatch makes hindsql NAME work for saved queries and reports: if the first word
// isn't a command, it puts the command run, or report run, in front. It returns the
// changed arguments. For a saved query, it also adds the query's parameters to the
// flags of run. A command line that the shell is completing is treated the same, except
// its incomplete last word.
func dispatch(env *environment, root *cobra.Command, a *namedQuery, args []string) []string {
	var before []string
	line, typed := args, args[len(args):]
	if len(args) > 1 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		before, line, typed = args[:1], args[1:len(args)-1], args[len(args)-1:]
	}
	at := positional(root, line)
	if len(at) == 0 || hasSQLFlag(line) {
		return args
	}
	name := line[at[0]]
	if commandNamed(root, name) == nil {
		name = strings.ToLower(name)
	}
	switch command := commandNamed(root, name); {
	case command != nil && command.Name() == "run":
		if len(at) > 1 {
			a.set(env, command, line[at[1]])
		}
		return args
	case name == "help" && len(at) > 1 && isQuery(env, line[at[1]]):
		a.set(env, commandNamed(root, "run"), line[at[1]])
		return []string{"run", line[at[1]], "--help"}
	case command != nil:
		// The command runs, and not the user's saved query with its name.
		if q := queryNamed(env, name); q != nil && q.Path != "" && !q.Overrides {
			env.notice("%s is a command; your query of that name is hindsql run %s", name, name)
		}
		line = commandFirst(root, line, at)
	case !queries.IsName(name):
		return args
	case isQuery(env, name):
		a.set(env, commandNamed(root, "run"), name)
		line = append([]string{"run"}, line...)
	case slices.Contains(reportNames(env), name):
		line = append([]string{"report", "run"}, line...)
	default:
		return args
	}
	return slices.Concat(before, line, typed)
}

// commandFirst moves the words that name a command to the front of the line, because
// only the command itself knows all flags that may stand before its name. at are the
// places of the words that aren't flags.
func commandFirst(c *cobra.Command, line []string, at []int) []string {
	for n, i := range at {
		if c = commandNamed(c, line[i]); c == nil {
			break
		}
		word := line[i]
		line = slices.Insert(slices.Delete(slices.Clone(line), i, i+1), n, word)
	}
	return line
}

func commandNamed(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}

// positional returns the places of the words of a command line that aren't flags or
// their values. It takes the word after an unknown flag as a value, because the flag may
// be a query's parameter.
func positional(root *cobra.Command, line []string) (at []int) {
	flags := true
	for i := 0; i < len(line); i++ {
		switch word := line[i]; {
		case !flags || !strings.HasPrefix(word, "-") || word == "-":
			at = append(at, i)
		case word == "--":
			flags = false
		case hasValue(root, word):
			i++
		}
	}
	return at
}

// hasValue reports whether the word after a flag is the flag's value.
func hasValue(root *cobra.Command, flag string) bool {
	long := strings.HasPrefix(flag, "--")
	if strings.Contains(flag, "=") || !long && len(flag) > 2 || flag == "--help" || flag == "-h" {
		return false
	}
	var found *pflag.Flag
	visitCommands(root, func(c *cobra.Command) {
		if found == nil {
			found = lookup(c, flag)
		}
	})
	return long && found == nil || found != nil && found.NoOptDefVal == ""
}

// hasSQLFlag reports whether the command line has a flag that gives the SQL: -c or -f.
func hasSQLFlag(line []string) bool {
	return slices.ContainsFunc(line, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return slices.Contains([]string{"-c", "--command", "-f", "--file"}, name)
	})
}

// flagError turns an error of the flag library into hindsql's error. If the command
// line names an unknown query, the error is about the query.
func flagError(env *environment, a *namedQuery, c *cobra.Command, err error) error {
	if a.name != "" && a.query == nil {
		if _, err := savedQuery(env, a.name); err != nil {
			return err // the flag may be a parameter of the missing query
		}
	}
	if m := unknownForm.FindStringSubmatch(err.Error()); m != nil {
		return unknownFlag(c, m[1])
	}
	return usagef("%v; see %s --help", err, c.CommandPath())
}

var unknownForm = pattern.Lazy(`^unknown (?:shorthand )?flag: (?:'.' in )?(-\S+)$`)

// unknownFlag returns the error for a flag that a command doesn't have. It names the
// commands that have the flag, or flags with similar names.
func unknownFlag(c *cobra.Command, flag string) error {
	var known, works []string
	c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	visitCommands(c.Root(), func(other *cobra.Command) {
		if lookup(other, flag) != nil && other.Runnable() {
			works = append(works, other.CommandPath())
		}
	})
	switch {
	case len(works) > fewCommands && len(suggest.To(flag, known)) == 0:
		return usagef("unknown flag: %s; %s doesn't take it, as other commands do", flag, c.CommandPath())
	case len(works) > 0 && len(works) <= fewCommands:
		return usagef("unknown flag: %s; %s doesn't take it: it is one of %s", flag, c.CommandPath(), words.List(works, "or"))
	}
	return usagef("unknown flag: %s%s", flag, suggest.Ask(flag, known, "see "+helpOf(c)))
}

// fewCommands is the most commands listed in a message.
const fewCommands = 8

// helpOf returns the command that explains a command's flags.
func helpOf(c *cobra.Command) string {
	if args := c.Flags().Args(); len(args) > 0 && c.Name() == "run" {
		return c.CommandPath() + " " + args[0] + " --help"
	}
	return c.CommandPath() + " --help"
}

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitAlert       = 3   // a condition holds
	exitHeld        = 4   // another program writes to the store
	exitPanic       = 70  // EX_SOFTWARE of sysexits.h; Go's own 2 means wrong usage here
	exitInterrupted = 130 // 128 + SIGINT, as in shells
)

// usageError is a wrong use of the command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errAlert ends a command whose condition holds. The rows are written, and the exit
// code tells the caller.
var errAlert = errors.New("there is something to tell")

// errBroken ends doctor if something is broken, after all output.
var errBroken = errors.New("something is broken")

// commandWords are the commands that messages on the command line propose.
var commandWords = ask.Words{
	ask.SeeTables: "hindsql tables", ask.SeeColumns: "hindsql tables NAME", ask.SeeQueries: "hindsql queries", ask.SeeSessions: "hindsql sessions",
	ask.SeeProblems: `hindsql "FROM problems"`, ask.SeeQuality: "hindsql run data-quality",
	ask.Refresh: "hindsql sync", ask.TrySample: "hindsql --sample", ask.Prune: "hindsql prune", ask.OtherStore: "--store", ask.WholeExport: "--update",
}

// exitCode reports err to the user, and returns the exit code.
func exitCode(ctx context.Context, env *environment, err error) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitOK
	case ctx.Err() != nil:
		env.notice("interrupted")
		return exitInterrupted
	case errors.Is(err, errBroken):
		return exitFailed
	case errors.Is(err, errAlert):
		return exitAlert
	case errors.As(err, &usage), errors.As(err, new(term.Unfit)), errors.As(err, new(engine.NotOne)):
		env.notice("%s", commandWords.Explain(err))
		return exitUsage
	}
	env.notice("%s", commandWords.Explain(err))
	if errors.As(err, new(*engine.Held)) {
		return exitHeld
	}
	return exitFailed
}
