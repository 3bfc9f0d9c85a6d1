package main

import (
	"hindsql/internal/pattern"
	"hindsql/internal/words"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/internal/suggest"
	"hindsql/queries"
	"hindsql/tables"
)

// aim is what a command line is about, as far as its first words tell: the saved query
// to run, if any.
type aim struct {
	name  string         // of the saved query to run; empty for none
	query *queries.Query // query of that name; nil if unknown
}

// dispatch makes hindsql NAME work for saved queries and reports: if the first word
// isn't a command, it puts the command run, or report run, in front. It returns the
// changed arguments. For a saved query, it also adds the query's parameters to the
// flags of run. A command line that the shell is completing is treated the same, except
// its incomplete last word.
func dispatch(w *world, root *cobra.Command, a *aim, args []string) []string {
	var before []string
	line, typed := args, args[len(args):]
	if len(args) > 1 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		before, line, typed = args[:1], args[1:len(args)-1], args[len(args)-1:]
	}
	at := positional(root, line)
	if len(at) == 0 || givesSQL(line) {
		return args
	}
	name := line[at[0]]
	if commandNamed(root, name) == nil {
		name = strings.ToLower(name)
	}
	switch command := commandNamed(root, name); {
	case command != nil && command.Name() == "run":
		if len(at) > 1 {
			a.at(w, command, line[at[1]])
		}
		return args
	case name == "help" && len(at) > 1 && isQuery(w, line[at[1]]):
		a.at(w, commandNamed(root, "run"), line[at[1]])
		return []string{"run", line[at[1]], "--help"}
	case command != nil:
		tellShadowed(w, name)
		line = commandFirst(root, line, at)
	case !queries.IsName(name):
		return args
	case isQuery(w, name):
		a.at(w, commandNamed(root, "run"), name)
		line = append([]string{"run"}, line...)
	case slices.ContainsFunc(reportNames(w), func(r string) bool { return r == name }):
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

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
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
		case takesValue(root, word):
			i++
		}
	}
	return at
}

// takesValue reports whether the word after a flag is the flag's value.
func takesValue(root *cobra.Command, flag string) bool {
	long := strings.HasPrefix(flag, "--")
	if strings.Contains(flag, "=") || !long && len(flag) > 2 || flag == "--help" || flag == "-h" {
		return false
	}
	var found *pflag.Flag
	everywhere(root, func(c *cobra.Command) {
		if found == nil {
			found = lookup(c, flag)
		}
	})
	return long && found == nil || found != nil && found.NoOptDefVal == ""
}

// everywhere visits a command and all its subcommands.
func everywhere(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		everywhere(below, visit)
	}
}

// givesSQL reports whether the command line has a flag that gives the SQL: -c or -f.
func givesSQL(line []string) bool {
	return slices.ContainsFunc(line, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return slices.Contains([]string{"-c", "--command", "-f", "--file"}, name)
	})
}

// queryNamed returns the saved query of a name; nil for none, and for a file that isn't
// a query.
func queryNamed(w *world, name string) *queries.Query {
	q, _ := queries.Find(queriesFolder(w), strings.ToLower(name), w.agents()...)
	return q
}

// isQuery reports whether a name is that of a saved query, or of a file that should be
// one: the command that runs it tells the file's error.
func isQuery(w *world, name string) bool {
	q, err := queries.Find(queriesFolder(w), strings.ToLower(name), w.agents()...)
	return q != nil || err != nil
}

// reportNames returns the names of all reports. Errors in the user's files are ignored
// here; the command that makes a report shows them.
func reportNames(w *world) []string {
	all, _ := allReports(w)
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return names
}

// tellShadowed warns if the user has a saved query with the name of a command, because
// the command runs instead.
func tellShadowed(w *world, name string) {
	if q := queryNamed(w, name); q != nil && q.Path != "" && !q.Overrides {
		w.notice("%s is a command; your query of that name is hindsql run %s", name, name)
	}
}

// beginsSQL lists the first words of SQL statements, to recognize SQL without quotes.
// alone lists words that can be a whole statement.
var (
	beginsSQL = []string{"select", "from", "with", "values", "table", "pivot", "unpivot", "explain", "describe", "summarize", "show", "create", "insert",
		"update", "delete", "drop", "alter", "copy", "attach", "detach", "use", "set", "reset", "pragma", "call", "install", "load"}
	alone = []string{"checkpoint", "begin", "commit", "rollback", "vacuum", "analyze"}
)

// mostQuoted is how many characters of the user's input a message repeats.
const mostQuoted = 60

// asSQL returns what the user may mean by a table's name and words after it: a saved
// query's top=3 is SQL's LIMIT 3.
func asSQL(args []string) string {
	words := slices.Clone(args)
	for i, word := range words {
		if n, is := strings.CutPrefix(word, queries.Top+"="); is {
			words[i] = "LIMIT " + n
		}
	}
	return strings.Join(words, " ")
}

// checkArgs accepts at most one argument, the SQL. For several arguments, the error
// says that the first is an unknown name, or that the SQL needs quotes.
func (o *rootOptions) checkArgs(w *world, args []string) error {
	switch {
	case len(args) > 1 && slices.Contains(append(beginsSQL, alone...), strings.ToLower(args[0])):
		return usagef(`give the SQL as one argument, in quotes: hindsql "%s"`, words.Cut(strings.Join(args, " "), mostQuoted))
	case len(args) > 1 && slices.Contains(tables.ShownNames(), strings.ToLower(args[0])):
		return usagef(`%s is a table; SQL is one argument, in quotes: hindsql "FROM %s"`, args[0], words.Cut(asSQL(args), mostQuoted))
	case len(args) > 1 && !strings.ContainsAny(args[0], " \t\n"):
		return unknown(w, o.root, args[0])
	case len(args) > 1:
		return usagef(`give the SQL as one argument, in quotes: hindsql "SELECT …"`)
	case len(args) == 1 && o.commands != "", len(args) == 1 && o.file != "", o.commands != "" && o.file != "":
		return usagef("give the SQL once: as an argument, with -c, or with -f")
	}
	return nil
}

// commandLine matches parameters and flags that follow a query's name, such as
// since=7d. It doesn't match SQL with a parenthesis or semicolon.
var commandLine = pattern.Lazy(`^\s*(?:--)?[a-z][a-z0-9_-]*(?:=|\s|$)[^;()]*$`)

// wordForm matches a single word; SQL has a space or a sign.
var wordForm = pattern.Lazy(`^[\pL_][\pL\d_.-]*$`)

// ofWord returns the SQL to run for the SQL argument. A single word that names a table
// becomes SQL for the table's rows; any other single word is an error. A saved query's
// name with parameters, all in quotes, is an error, too. Other text is SQL, and stays
// unchanged.
func ofWord(w *world, root *cobra.Command, sql string) (string, error) {
	word := strings.TrimSpace(sql)
	if name, params, _ := strings.Cut(word, " "); commandLine.MatchString(params) && isQuery(w, name) {
		return "", usagef("%s is a saved query, whose parameters stand outside the quotes: hindsql %s", name, words.Cut(word, mostQuoted))
	}
	switch {
	case !wordForm.MatchString(word) || slices.Contains(alone, strings.ToLower(word)):
		return sql, nil
	case slices.Contains(tables.ShownNames(), strings.ToLower(word)):
		return "FROM " + word, nil
	}
	return "", unknown(w, root, word)
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
func unknown(w *world, root *cobra.Command, word string) error {
	if slices.Contains(tables.MacroNames(), word) {
		return usagef("%s is a function, for SQL; hindsql tables %s has an example", word, word)
	}
	if columns := tablesWith(strings.ToLower(word)); len(columns) > 0 {
		return usagef(`%s is a column of %s; hindsql "SELECT %[1]s FROM %[3]s"`, strings.ToLower(word), words.List(columns, "and"), columns[0])
	}
	if slices.Contains(w.agents(), strings.ToLower(word)) {
		return usagef("%s is an agent; hindsql sessions agent=%[1]s lists its sessions", strings.ToLower(word))
	}
	all, _ := saved(w)
	known := slices.Concat(commandNames(root), namesOf(all), reportNames(w), tables.ShownNames())
	if len(suggest.To(word, known)) > 0 {
		return usagef("unknown name %q%s", word, suggest.Ask(word, known, "hindsql --help lists the commands, hindsql queries the saved queries"))
	}
	return usagef(`%q is no command, saved query, report or table; hindsql --help lists the commands, and SQL is hindsql "FROM %s"`, word, word)
}
