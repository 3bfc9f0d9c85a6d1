package main

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine/export"
	"hindsql/internal/atomicfile"
	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
)

// triesAnnotation is the annotation of a flag with values for a test.
const triesAnnotation = "walked"

// tries declares values of a flag, good ones and bad ones, for the test that walks over
// all command lines. The test has values for switches, numbers, and flags that complete.
func tries(flags *pflag.FlagSet, name string, values ...string) {
	_ = flags.SetAnnotation(name, triesAnnotation, values)
}

// lookup returns a command's flag, of a form such as --output or -o; nil if unknown.
func lookup(c *cobra.Command, flag string) *pflag.Flag {
	if name, long := strings.CutPrefix(flag, "--"); long {
		return c.Flags().Lookup(name)
	}
	return c.Flags().ShorthandLookup(flag[1:])
}

// logFlags holds the flags for the logs to read and for the store of their rows.
type logFlags struct {
	roots    []string // agent=PATH
	store    string
	prices   string
	timezone string
	noSync   bool
	sample   string // one of the samples
	lake     string // URL of rows in a lake; empty for the store
	confine  confine
	quiet    bool // of --alert: no notice says why there are no rows
}

// When the sample replaces the user's logs.
const (
	sampleNever  = "never"
	sampleAlways = "always"
	sampleAuto   = "auto" // when no logs are found
)

func (f *logFlags) addFlags(root *cobra.Command, agents []string) {
	flags := root.Flags()
	flags.StringArrayVar(&f.roots, "root", nil, "read an agent's logs in this folder, `AGENT=PATH`; repeat for several")
	tries(flags, "root", agents[0]+"=~", agents[0]+"=missing", "nobody=~")
	flags.StringVar(&f.store, "store", "", "keep the loaded rows in this `FILE` (default $HINDSQL_STORE, or in the user's data folder)")
	tries(flags, "store", "other.duckdb", ".")
	flags.StringVar(&f.prices, "prices", "", "estimate costs by the prices in this `FILE` (default $HINDSQL_PRICES, or prices.json or prices.toml in the configuration, or the built-in list)")
	tries(flags, "prices", "prices.toml")
	flags.StringVar(&f.lake, "lake", "", "ask the rows of many machines at this `URL`, and none of the store: a folder they push into, or an Iceberg REST catalog")
	tries(flags, "lake", "landing")
	flags.BoolVar(&f.noSync, "no-sync", false, "answer from what is loaded, without looking at the logs")
	flags.StringVar(&f.timezone, "timezone", "", "`ZONE` of days and times, such as Europe/Paris (default the machine's)")
	tries(flags, "timezone", "Asia/Kolkata")
	flags.StringVar(&f.sample, "sample", sampleNever, "use a made-up home folder; `WHEN` is always, never, or auto: when no logs are found")
	flags.Lookup("sample").NoOptDefVal = sampleAlways
	_ = root.RegisterFlagCompletionFunc("root", completeRoots(agents))
	_ = root.RegisterFlagCompletionFunc("timezone", cobra.NoFileCompletions)
	_ = root.RegisterFlagCompletionFunc("sample", cobra.FixedCompletions([]string{sampleAlways, sampleAuto, sampleNever}, cobra.ShellCompDirectiveNoFileComp))
}

// completeRoots proposes an agent, then files.
func completeRoots(agents []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(typed, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return lists.Map(agents, func(agent string) string { return agent + "=" }), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// check returns an error for wrong values, and for contradictory flags.
func (f *logFlags) check() error {
	switch {
	case !slices.Contains([]string{sampleNever, sampleAlways, sampleAuto}, f.sample):
		return usagef("--sample is %s, %s or %s, not %q", sampleAlways, sampleAuto, sampleNever, f.sample)
	case f.sample == sampleAlways && len(f.roots) > 0:
		return usagef("--sample and --root contradict each other")
	case f.lake != "" && (len(f.roots) > 0 || f.sample != sampleNever || f.store != ""):
		return usagef("--lake reads neither logs nor a store; leave out --root, --sample and --store")
	case f.sample == sampleAlways && f.store != "":
		return usagef("--sample has a store of its own; leave out --store")
	}
	if _, err := time.LoadLocation(f.timezone); err != nil {
		return usagef("time zone %q: unknown; use an IANA name such as Europe/Berlin", f.timezone)
	}
	return nil
}

func rootsByAgent(env *environment, from *logFlags) (map[string][]string, error) {
	var roots map[string][]string
	for _, flag := range from.roots {
		agent, path, ok := strings.Cut(flag, "=")
		if !ok || path == "" {
			return nil, usagef("--root %s: write AGENT=PATH, such as %s=~/logs", flag, env.readers[0].Agent)
		}
		if !slices.Contains(env.agents(), agent) {
			return nil, usagef("--root %s: unknown agent %q; one of %s", flag, agent, strings.Join(env.agents(), ", "))
		}
		if roots == nil {
			roots = map[string][]string{}
		}
		roots[agent] = append(roots[agent], env.long(path))
	}
	return roots, nil
}

// confine holds the flags for running SQL of other people, and for the projects that
// the SQL may see.
type confine struct {
	safe     bool
	projects []string
	redact   bool

	// Only set for mails.
	public bool          // private projects are left out
	time   time.Duration // of a statement; 0 for the usual
}

func (c *confine) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&c.safe, "safe", false, "run SQL that you didn't write: only queries, on a copy of the rows, without files, network and settings")
	flags.StringArrayVar(&c.projects, "project", nil, "with --safe: only what happened in `FOLDER`, a path or a folder's name; repeat for several")
	tries(flags, "project", "shop-api", "~")
	flags.BoolVar(&c.redact, "redact", false, "with --safe: replace secrets in all texts with [redacted:RULE]")
}

// check returns an error for flags without effect. ofQuery is set if a saved query
// runs. --project may then be a parameter of the query. ofReport is set if a report goes by
// mail or runs on a schedule: it redacts without --safe.
func (c *confine) check(ofQuery, ofReport bool) error {
	switch {
	case c.safe || ofReport:
		return nil
	case len(c.projects) > 0 && !ofQuery:
		return usagef("--project: a scope holds with --safe only; saved queries have project=…")
	case c.redact:
		return usagef("--redact: only with --safe, and in hindsql export")
	}
	return nil
}

// scopeFlags holds the flags for the rows that an agent may see: of all projects or some,
// and with secrets or without.
type scopeFlags struct {
	all      bool
	projects []string
	noRedact bool
}

func (s *scopeFlags) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&s.all, "all", false, "answer from all projects")
	flags.StringArrayVar(&s.projects, "project", nil, "answer from what happened in `FOLDER`, a path or a folder's name; repeat for several")
	tries(flags, "project", "shop-api", "~")
	flags.BoolVar(&s.noRedact, "no-redact", false, "give texts as they are, with the secrets that they hold")
}

// check returns an error for contradictory flags.
func (s *scopeFlags) check() error {
	if s.all && len(s.projects) > 0 {
		return usagef("--all and --project contradict each other")
	}
	return nil
}

func completeAgents(env *environment, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(env.agents(), cobra.ShellCompDirectiveNoFileComp))
}

// knownAgent returns an error if --agent names no agent.
func knownAgent(agent string, agents []string) error {
	if agent == "" || slices.Contains(agents, agent) {
		return nil
	}
	return usagef("--agent %s: unknown%s", agent, suggest.Ask(agent, agents, "one of "+strings.Join(agents, ", ")))
}

// outputFlags holds the flags for the form and the target of results.
type outputFlags struct {
	format string
	chart  bool
	file   string
	rows   int
	direct bool // no pager
}

func (o *outputFlags) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "", "`FORMAT` of results: "+strings.Join(term.Names(), ", "))
	flags.BoolVar(&o.chart, "chart", false, "draw results: a saved query's as it declares, else bars of a text and a number, a line of a time and a number")
	flags.StringVarP(&o.file, "output", "o", "", "write results to `FILE`, whole or not at all; its name gives the format, such as x.csv, x.parquet or x.xlsx")
	flags.IntVar(&o.rows, "rows", 1000, "show `N` rows of a table at most on a terminal; 0 for all")
	flags.BoolVar(&o.direct, "no-pager", false, "don't show in $PAGER what is longer than the terminal")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(term.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// check returns an error for contradictory flags, or an unknown format. folder is set
// if -o may name a folder, or if the command has its own formats; the file's name is
// then not checked.
func (o *outputFlags) check(folder bool) error {
	if o.rows < 0 {
		return usagef("--rows %d: a number of rows, or 0 for all", o.rows)
	}
	if o.chart && o.format != "" && o.format != "chart" {
		return usagef("--chart and --format %s: give one of them", o.format)
	}
	var err error
	switch asked := o.asked(); {
	case asked != "":
		_, err = term.ByName(asked)
	case o.file != "" && !folder:
		_, err = term.ByPath(o.file)
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

// refuse returns an error for a form or a target of results, if a flag of the command
// writes a text instead of results.
func (o *outputFlags) refuse(flag string) error {
	switch {
	case o.file != "":
		return usagef("%s: has no results to write; leave out -o %s", flag, o.file)
	case o.asked() != "":
		return usagef("%s: has no results; leave out --format %s", flag, o.asked())
	}
	return nil
}

// asked returns the format given by flags; empty for none.
func (o *outputFlags) asked() string {
	if o.chart {
		return "chart"
	}
	return o.format
}

// deliver calls write with an output for the file of -o, or for standard output. A file
// appears only if write succeeds. Output longer than the terminal's screen goes through
// the pager.
func deliver(env *environment, out *outputFlags, write func(*term.Output) error) error {
	if out.file == "" {
		return pager(env, out).Page(env.stdout, env.height, nil, func(page io.Writer) error { return write(toStdout(env, out, page)) })
	}
	return atomicfile.WriteBy(out.file, func(f io.Writer) error { return write(&term.Output{Writer: f, File: out.file, Format: out.asked()}) })
}

// pager returns the user's pager; none if standard output isn't a terminal.
func pager(env *environment, out *outputFlags) term.Pager {
	if !env.stdoutTerminal || out.direct {
		return term.Pager{}
	}
	return term.PagerOf(env.lookup)
}

// toStdout returns an output for standard output or the pager.
func toStdout(env *environment, out *outputFlags, to io.Writer) *term.Output {
	return &term.Output{Writer: to, Format: out.asked(), Timed: env.stdoutTerminal, Options: renderOptions(env, out)}
}

// listRows writes rows as a listing for people, or as a result in other formats.
func listRows(env *environment, out *outputFlags, columns []result.Column, rows [][]any) error {
	return deliver(env, out, func(to *term.Output) error { return to.List(result.Set{Columns: columns, Rows: rows}) })
}

func renderOptions(env *environment, out *outputFlags) term.Options {
	if !env.stdoutTerminal {
		return term.Options{}
	}
	o := term.Options{Width: env.width, Now: env.clock(), MaxRows: out.rows, Color: env.hasColor(), ASCII: env.isASCII(), Auto: out.asked() == ""}
	pager(env, out).SetOptions(&o, env.height)
	return o
}

// showSteps shows the current table on a terminal until done is called.
func showSteps(env *environment, verb string) (report func(export.Progress), done func()) {
	if !env.stderrTerminal {
		return nil, func() {}
	}
	return term.Steps(env.stderr, verb)
}
