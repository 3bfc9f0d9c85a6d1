package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/internal/pattern"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
)

// flagError turns an error of the flag library into hindsql's error. If the command
// line names an unknown query, the error is about the query.
func flagError(w *world, a *aim, c *cobra.Command, err error) error {
	if a.name != "" && a.query == nil {
		if _, err := savedQuery(w, a.name); err != nil {
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
	everywhere(c.Root(), func(other *cobra.Command) {
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

// lookup returns a command's flag, of a form such as --output or -o; nil if unknown.
func lookup(c *cobra.Command, flag string) *pflag.Flag {
	if name, long := strings.CutPrefix(flag, "--"); long {
		return c.Flags().Lookup(name)
	}
	return c.Flags().ShorthandLookup(flag[1:])
}

// walked is the annotation of a flag with values for a test.
const walked = "walked"

// tries declares values of a flag, good ones and bad ones, for the test that walks over
// all command lines. The test has values for switches, numbers, and flags that complete.
func tries(flags *pflag.FlagSet, name string, values ...string) {
	_ = flags.SetAnnotation(name, walked, values)
}

// fewCommands is the most commands listed in a message.
const fewCommands = 8

// helpOf returns the command that explains a command's flags.
func helpOf(c *cobra.Command) string {
	if words := c.Flags().Args(); len(words) > 0 && c.Name() == "run" {
		return c.CommandPath() + " " + words[0] + " --help"
	}
	return c.CommandPath() + " --help"
}
