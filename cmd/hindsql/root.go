package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/pattern"
	"hindsql/internal/regular"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/tables"
)

const rootHelp = `hindsql answers SQL about what your coding agents did: sessions, prompts, tool
calls, what you refused and why, interruptions, compactions. It reads the logs
that the agents leave on this machine, and is up to date before every answer.
Nothing leaves the machine unless you push it, and no log is ever changed.`

const rootExamples = `  hindsql                                # opens a prompt
  hindsql overview                       # a saved query; hindsql queries lists them
  hindsql rejections --since 7d
  hindsql weekly                         # a report; hindsql report list lists them
  hindsql show last                      # a session as a page
  hindsql find "connection refused"
  hindsql web --open                     # pages in a browser
  hindsql tables rejections
  hindsql "SELECT tool_name, reason, file_path FROM rejections ORDER BY timestamp DESC LIMIT 10"
  hindsql -f report.sql --format csv -o report.csv
  echo "FROM sessions" | hindsql --format json
  hindsql --sample rejections            # on a made-up home folder`

// rootOptions are the flags and arguments of hindsql itself.
type rootOptions struct {
	promptOptions
	root           *cobra.Command
	sql            []string // the argument; empty if none
	commands, file string
	version        bool
}

func (o *rootOptions) addFlags(flags *pflag.FlagSet) {
	o.promptOptions.addFlags(flags)
	flags.BoolVar(&o.version, "version", false, "show the versions, as hindsql version does")
	flags.StringVarP(&o.commands, "command", "c", "", "run this `SQL`")
	flags.StringVarP(&o.file, "file", "f", "", "run the SQL and the dot commands in `FILE`; - is standard input")
	tries(flags, "command", "FROM sessions", "SELECT 1; SELECT 2", ".tables", "SELECT (")
	tries(flags, "file", "query.sql", "-")
}

// newRootCommand returns the command hindsql with all its subcommands. a gets the saved
// query that the command line names.
func newRootCommand(env *environment, a *namedQuery) *cobra.Command {
	s := commandLine{logs: &logFlags{}, out: &outputFlags{}, commands: &[]string{}}
	o := rootOptions{promptOptions: promptOptions{commandLine: s}}
	root := &cobra.Command{
		Use:     "hindsql [SQL | NAME]",
		Short:   "SQL on the logs of coding agents",
		Long:    rootHelp,
		Example: rootExamples,
		Args:    func(_ *cobra.Command, args []string) error { return o.checkArgs(env, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			o.sql = args
			return runRoot(cmd.Context(), env, o)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd, s, a) },
		SilenceErrors:     true,
		SilenceUsage:      true,
		ValidArgsFunction: completeRoot(env),
	}
	o.root = root
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(env, a, c, err) })
	o.addFlags(root.Flags())
	s.out.addFlags(root)
	s.logs.addFlags(root, env.agents())
	s.flags, root.Flags().SortFlags = root.Flags(), false
	root.AddCommand(newFindCommand(env, s), newShowCommand(env, s), newTablesCommand(env, s), newQueriesCommand(env, s), newRunCommand(env, s, a), newReportCommand(env, s), newSourcesCommand(env, s), newPricesCommand(env, s), newDoctorCommand(env, s),
		newSyncCommand(env, s), newPruneCommand(env, s), newExportCommand(env, s), newPushCommand(env, s), newPullCommand(env, s), newMachineCommand(env, s), newWebCommand(env, s), newMCPCommand(env, s), newSkillCommand(env, s), newVersionCommand(env, s))
	*s.commands = commandNames(root)
	return root
}

// checkFlags returns an error for wrong flags, before any file is opened.
func checkFlags(cmd *cobra.Command, s commandLine, a *namedQuery) error {
	if cmd.Flags().Changed("lake") && s.logs.lake == "" { // for example an unset variable in a script
		return usagef("--lake: empty; name a folder, or the URL of a catalog")
	}
	if err := s.logs.check(); err != nil {
		return err
	}
	if err := s.logs.confine.check(a.query != nil, cmd.Flags().Changed("mail-to") || cmd.Flags().Changed("scheduled")); err != nil {
		return err
	}
	named := cmd.Name() == "queries" && len(cmd.Flags().Args()) > 0 // the file of a query
	return s.out.check(named || cmd.Flags().Lookup("format") != s.flags.Lookup("format"))
}

// completeRoot lists the names for hindsql NAME.
func completeRoot(env *environment) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, _ := completeQueries(env)(nil, nil, "")
		more, _ := completeReports(env)(nil, nil, "")
		return append(names, more...), cobra.ShellCompDirectiveNoFileComp
	}
}

func runRoot(ctx context.Context, env *environment, o rootOptions) error {
	if o.version {
		if err := o.out.refuse("--version"); err != nil {
			return err
		}
		return runVersion(ctx, env, versionOptions{})
	}
	sql, err := o.readSQL(env)
	if err != nil {
		return err
	}
	switch {
	case len(o.sql) == 0 && o.commands == "" && o.file == "" && env.stdinTerminal && env.stdoutTerminal:
		return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error { return openPrompt(ctx, env, o.promptOptions, v) })
	case strings.TrimSpace(sql) == "":
		return usagef(`no SQL given; hindsql "SELECT …", or see hindsql --help`)
	}
	if sql, err = sqlOfWord(env, o.root, sql); err != nil {
		return err
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		return executeScript(ctx, env, o.promptOptions, v, o.sourceName(), sql)
	})
}

// readSQL returns the SQL of the argument, -c, -f or standard input; empty if standard
// input is a terminal.
func (o *rootOptions) readSQL(env *environment) (string, error) {
	switch {
	case len(o.sql) == 1:
		return o.sql[0], nil
	case o.commands != "":
		return o.commands, nil
	case o.file != "" && o.file != "-":
		text, err := regular.ReadNamed(o.file)
		return string(text), err
	case env.stdinTerminal && o.file == "":
		return "", nil
	}
	text, err := io.ReadAll(env.stdin)
	return string(text), err
}

// sourceName returns the name that errors use for the file with the SQL; empty if the SQL
// is an argument.
func (o *rootOptions) sourceName() string {
	switch {
	case len(o.sql) > 0 || o.commands != "":
		return ""
	case o.file == "" || o.file == "-":
		return "stdin"
	}
	return o.file
}

// firstSQLWords lists the first words of SQL statements, to recognize SQL without quotes.
// wholeStatements lists words that can be a whole statement.
var (
	firstSQLWords = []string{"select", "from", "with", "values", "table", "pivot", "unpivot", "explain", "describe", "summarize", "show", "create", "insert",
		"update", "delete", "drop", "alter", "copy", "attach", "detach", "use", "set", "reset", "pragma", "call", "install", "load"}
	wholeStatements = []string{"checkpoint", "begin", "commit", "rollback", "vacuum", "analyze"}
)

// mostQuoted is how many characters of the user's input a message repeats.
const mostQuoted = 60

// checkArgs accepts at most one argument, the SQL. For several arguments, the error
// says that the first is an unknown name, or that the SQL needs quotes.
func (o *rootOptions) checkArgs(env *environment, args []string) error {
	switch {
	case len(args) > 1 && slices.Contains(append(firstSQLWords, wholeStatements...), strings.ToLower(args[0])):
		return usagef(`give the SQL as one argument, in quotes: hindsql "%s"`, words.Cut(strings.Join(args, " "), mostQuoted))
	case len(args) > 1 && slices.Contains(tables.ShownNames(), strings.ToLower(args[0])):
		return usagef(`%s is a table; SQL is one argument, in quotes: hindsql "FROM %s"`, args[0], words.Cut(asSQL(args), mostQuoted))
	case len(args) > 1 && !strings.ContainsAny(args[0], " \t\n"):
		return unknown(env, o.root, args[0])
	case len(args) > 1:
		return usagef(`give the SQL as one argument, in quotes: hindsql "SELECT …"`)
	case len(args) == 1 && o.commands != "", len(args) == 1 && o.file != "", o.commands != "" && o.file != "":
		return usagef("give the SQL once: as an argument, with -c, or with -f")
	}
	return nil
}

// asSQL returns what the user may mean by a table's name and words after it: a saved
// query's top=3 is SQL's LIMIT 3.
func asSQL(args []string) string {
	list := slices.Clone(args)
	for i, word := range list {
		if n, is := strings.CutPrefix(word, queries.Top+"="); is {
			list[i] = "LIMIT " + n
		}
	}
	return strings.Join(list, " ")
}

// paramsForm matches parameters and flags that follow a query's name, such as
// since=7d. It doesn't match SQL with a parenthesis or semicolon.
var paramsForm = pattern.Lazy(`^\s*(?:--)?[a-z][a-z0-9_-]*(?:=|\s|$)[^;()]*$`)

// wordForm matches a single word; SQL has a space or a sign.
var wordForm = pattern.Lazy(`^[\pL_][\pL\d_.-]*$`)

// sqlOfWord returns the SQL to run for the SQL argument. A single word that names a table
// becomes SQL for the table's rows; any other single word is an error. A saved query's
// name with parameters, all in quotes, is an error, too. Other text is SQL, and stays
// unchanged.
func sqlOfWord(env *environment, root *cobra.Command, sql string) (string, error) {
	word := strings.TrimSpace(sql)
	if name, params, _ := strings.Cut(word, " "); paramsForm.MatchString(params) && isQuery(env, name) {
		return "", usagef("%s is a saved query, whose parameters stand outside the quotes: hindsql %s", name, words.Cut(word, mostQuoted))
	}
	switch {
	case !wordForm.MatchString(word) || slices.Contains(wholeStatements, strings.ToLower(word)):
		return sql, nil
	case slices.Contains(tables.ShownNames(), strings.ToLower(word)):
		return "FROM " + word, nil
	}
	return "", unknown(env, root, word)
}

// tablesWith returns the tables that have a column.
func tablesWith(column string) (names []string) {
	for _, t := range tables.Shown() {
		if !strings.Contains(t.Name, ".") && t.Has(column) {
			names = append(names, t.Name)
		}
	}
	return names
}

// unknown returns the error for a name that is neither a command, saved query, report
// nor table. It says if the name is a function, a column or an agent.
func unknown(env *environment, root *cobra.Command, word string) error {
	if slices.Contains(tables.MacroNames(), word) {
		return usagef("%s is a function, for SQL; hindsql tables %s has an example", word, word)
	}
	if columns := tablesWith(strings.ToLower(word)); len(columns) > 0 {
		return usagef(`%s is a column of %s; hindsql "SELECT %[1]s FROM %[3]s"`, strings.ToLower(word), words.List(columns, "and"), columns[0])
	}
	if slices.Contains(env.agents(), strings.ToLower(word)) {
		return usagef("%s is an agent; hindsql sessions agent=%[1]s lists its sessions", strings.ToLower(word))
	}
	all, _ := savedQueries(env)
	known := slices.Concat(commandNames(root), queries.Names(all), reportNames(env), tables.ShownNames())
	if len(suggest.To(word, known)) > 0 {
		return usagef("unknown name %q%s", word, suggest.Ask(word, known, "hindsql --help lists the commands, hindsql queries the saved queries"))
	}
	return usagef(`%q is no command, saved query, report or table; hindsql --help lists the commands, and SQL is hindsql "FROM %s"`, word, word)
}
