package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/queries"
)

func newQueriesCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, s, ofResults, runQueries, &cobra.Command{
		Use:   "queries [NAME]",
		Short: "List the saved queries, or show one",
		Long: `Lists the saved queries, or shows the file of one: its help, parameters and SQL.

Your own are .sql files in the folder hindsql/queries of your configuration
folder ($XDG_CONFIG_HOME, or ` + userOf(env).ConfigName() + `): plain SQL, or SQL below a header as
those built in have. hindsql queries new writes one. A file with the name of a
built-in query is run in its place.`,
		ValidArgsFunction: completeQueries(env),
	})
	cmd.AddCommand(newNewQueryCommand(env, s))
	return cmd
}

func runQueries(_ context.Context, env *environment, o commandLine) error {
	if len(o.args) == 0 {
		all, _ := savedQueries(env)
		return deliver(env, o.out, func(to *term.Output) error { return term.Queries(to, ask.List(env.home, all)) })
	}
	return showQuery(env, o.out, o.args[0])
}

func showQuery(env *environment, out *outputFlags, name string) error {
	q, err := savedQuery(env, name)
	if err != nil {
		return err
	}
	if out.asked() != "" {
		return usagef("--format: hindsql queries %s shows its file, as it is", name)
	}
	if out.file == "" {
		_, err = fmt.Fprint(env.stdout, q.SQL)
		return err
	}
	return atomicfile.Write(out.file, []byte(q.SQL))
}

// newQueryOptions are the flags and arguments of hindsql queries new.
type newQueryOptions struct {
	commandLine
	sql, from string
	edit      bool
}

func (o *newQueryOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.sql, "sql", "", "the query's `SQL`; each $name in it is a parameter")
	tries(flags, "sql", "SELECT $one", "SELECT 1; SELECT 2", "SELECT (")
	flags.StringVar(&o.from, "from", "", "begin with a copy of this `QUERY`")
	flags.BoolVar(&o.edit, "edit", false, "open the file in $VISUAL or $EDITOR, an existing one too")
}

func newNewQueryCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, newQueryOptions{commandLine: s}, "", runNewQuery, &cobra.Command{
		Use:   "new NAME",
		Short: "Write a saved query of your own",
		Long: `Writes NAME.sql into the folder of your saved queries, with a header: a title,
and a line for each parameter, to complete as you like. hindsql NAME runs it.`,
		Example: `  hindsql queries new pushes --sql "SELECT * FROM tool_calls WHERE command LIKE '%git push%'"
  hindsql queries new my-rejections --from rejections --edit`,
	})
	_ = cmd.RegisterFlagCompletionFunc("from", func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return completeQueries(env)(c, nil, typed)
	})
	return cmd
}

func runNewQuery(_ context.Context, env *environment, o newQueryOptions) error {
	name, mine := o.args[0], ask.Own{Folder: queriesFolder(env), Commands: commandNames(o.cmd.Root())}
	path, err := mine.File(name)
	if err != nil {
		return usageError{err}
	}
	_, err = os.Stat(path)
	switch exists := err == nil; {
	case !exists && !errors.Is(err, fs.ErrNotExist):
		return err
	case o.sql != "" && o.from != "":
		return usagef("give --sql or --from, not both")
	case exists && (o.sql != "" || o.from != "" || !o.edit):
		return usagef("%s exists; hindsql queries new %s --edit opens it", env.short(path), name)
	case !exists && o.sql == "" && o.from == "" && !o.edit:
		return usagef(`which SQL? give --sql "SELECT …", --from QUERY, or --edit`)
	case !exists:
		if err := o.write(env, mine); err != nil {
			return err
		}
	}
	if o.edit {
		if err := edit(env, o.out, path); err != nil {
			return err
		}
	}
	if _, err := queries.Find(mine.Folder, name); err != nil {
		return fmt.Errorf("%w; hindsql queries new %s --edit opens it again", err, name)
	}
	_, err = fmt.Fprintf(env.stdout, "%s; hindsql %s runs it\n", env.short(path), name)
	return err
}

// write writes the file with which the query begins.
func (o *newQueryOptions) write(env *environment, mine ask.Own) error {
	sql := o.sql
	if o.from != "" {
		q, err := savedQuery(env, o.from)
		if err != nil {
			return err
		}
		_, err = mine.Save(o.args[0], q.Copy(o.args[0]))
		return err
	}
	if sql == "" {
		sql = "SELECT * FROM messages LIMIT 10"
	}
	_, err := mine.Save(o.args[0], queries.Text(queries.Draft(o.args[0], sql)))
	return err
}

// edit opens a file in the user's editor.
func edit(env *environment, out *outputFlags, path string) error {
	editor := toolsOf(env, out).Editor
	cmd := term.Program(editor, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.stdin, env.stdout, env.stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w; name your editor in $EDITOR", editor, err)
	}
	return nil
}
