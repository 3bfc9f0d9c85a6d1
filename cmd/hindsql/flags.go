package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/internal/pattern"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
)

// The root command's flags apply to all commands, but some commands don't use some
// flags. For such a command, the flag is unknown, or without effect ([isHarmless]). These variables are groups of flags,
// and the commands that use --lake.
var (
	looks  = []string{"format", "chart", "rows", "no-pager"}
	places = []string{"root", "store", "no-sync", "timezone", "sample"}
	asks   = []string{"", "run", "find", "show", "tables"} // commands that use --lake, by the words after hindsql
)

// useless lists the root command's flags that a command doesn't use, by the words after
// hindsql.
var useless = map[string][]string{
	"queries":          places,
	"doctor":           {"chart", "rows"},
	"prices":           {"chart"},
	"find":             {"chart"},
	"show":             {"chart"},
	"sync":             slices.Concat(looks, []string{"output", "no-sync"}),
	"prune":            slices.Concat(looks, []string{"output"}),
	"export":           {"chart", "rows", "no-pager"},
	"push":             slices.Concat(looks, []string{"output", "sample"}),
	"pull":             slices.Concat(looks, []string{"output", "sample"}),
	"web":              slices.Concat(looks, []string{"output"}),
	"mcp":              slices.Concat(looks, []string{"output"}),
	"machine":          {"chart"},
	"machine new":      slices.Concat(looks, places, []string{"output", "prices"}),
	"version":          slices.Concat(looks, places, []string{"output"}),
	"mcp install":      slices.Concat(looks, []string{"output", "sample"}),
	"mcp uninstall":    slices.Concat(looks, places, []string{"output", "prices"}),
	"report list":      places,
	"report show":      slices.Concat(looks, places, []string{"output"}),
	"report run":       {"chart"},
	"report due":       slices.Concat(looks, []string{"output"}),
	"report watch":     slices.Concat(looks, []string{"output"}),
	"report install":   looks,
	"skill":            slices.Concat(looks, places),
	"skill list":       places,
	"skill install":    slices.Concat(looks, []string{"output", "store", "no-sync", "timezone", "sample"}),
	"skill uninstall":  slices.Concat(looks, places, []string{"output"}),
	"push install":     slices.Concat(looks, []string{"output", "no-sync", "sample"}),
	"push uninstall":   slices.Concat(looks, places, []string{"output", "prices"}),
	"report uninstall": slices.Concat(looks, places, []string{"output"}),
}

// uselessFor returns the root command's flags that a command doesn't use.
func uselessFor(c *cobra.Command) []string {
	_, words, _ := strings.Cut(c.CommandPath(), " ")
	if words == "completion" || strings.HasPrefix(words, "completion ") || words == "help" {
		words = "version"
	}
	if slices.Contains(asks, words) {
		return useless[words]
	}
	return append(slices.Clip(useless[words]), "lake")
}

// hasOwnFormats reports whether a command's output isn't a result with rows. The
// command then has formats of its own.
func hasOwnFormats(c *cobra.Command) bool {
	return c.Name() == "export" || c.Name() == "skill" || c.Name() == "queries" && len(c.Flags().Args()) > 0 || c.HasParent() && c.Parent().Name() == "report" && c.Name() != "list"
}

// useful returns the root command's flags that c uses.
func useful(c *cobra.Command) *pflag.FlagSet {
	set := pflag.NewFlagSet(c.Name(), pflag.ContinueOnError)
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(uselessFor(c), f.Name) {
			set.AddFlag(f)
		}
	})
	return set
}

// hideUseless hides the flags that a command doesn't use from its help and completion.
// args is the command line.
func hideUseless(root *cobra.Command, args []string) {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		args = args[1:]
	}
	c, _, err := root.Find(args)
	if err != nil {
		return
	}
	if c.Name() == "help" && len(args) > 1 {
		if named, _, err := root.Find(args[1:]); err == nil {
			c = named
		}
	}
	for _, name := range uselessFor(c) {
		if f := root.PersistentFlags().Lookup(name); f != nil {
			f.Hidden = true
		}
	}
}

// own lists the commands that act on the user's own logs or settings. They refuse
// --sample, because they would not act on the sample.
var own = []string{"push", "pull", "push install", "mcp install"}

// isHarmless reports whether a command accepts a flag that it doesn't use. --sample and
// --store only choose the rows, so a user may keep them on every command line.
func isHarmless(c *cobra.Command, flag string) bool {
	_, words, _ := strings.Cut(c.CommandPath(), " ")
	return flag == "store" || flag == "sample" && !slices.Contains(own, words)
}

// refuseUseless returns an error if the user gave a flag that the command doesn't use.
func refuseUseless(c *cobra.Command) error {
	for _, name := range uselessFor(c) {
		if isHarmless(c, name) {
			continue
		}
		if f := c.Root().PersistentFlags().Lookup(name); f != nil && f.Changed {
			return unknownFlag(c, "--"+name)
		}
	}
	return nil
}

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
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(uselessFor(c), f.Name) {
			known = append(known, "--"+f.Name)
		}
	})
	name := strings.TrimLeft(flag, "-")
	everywhere(c.Root(), func(other *cobra.Command) {
		if f := other.Flag(name); f != nil && other.Runnable() && other.Name() != "help" && !slices.Contains(uselessFor(other), name) && !slices.Contains(works, other.CommandPath()) {
			works = append(works, other.CommandPath())
		}
	})
	switch {
	case len(works) > fewCommands && len(suggest.To(flag, known)) == 0:
		return usagef("unknown flag: %s; %s has no use for it, as other commands have", flag, c.CommandPath())
	case len(works) > 0 && len(works) <= fewCommands:
		return usagef("unknown flag: %s; %s has no use for it: it is one of %s", flag, c.CommandPath(), words.List(works, "or"))
	}
	return usagef("unknown flag: %s%s", flag, suggest.Ask(flag, known, "see "+helpOf(c)))
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
