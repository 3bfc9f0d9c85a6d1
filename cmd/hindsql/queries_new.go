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
	"hindsql/queries"
)

// newQueryOptions are the flags and arguments of hindsql queries new.
type newQueryOptions struct {
	shared
	sql, from string
	edit      bool
}

func (o *newQueryOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.sql, "sql", "", "the query's `SQL`; each $name in it is a parameter")
	tries(flags, "sql", "SELECT $one", "SELECT 1; SELECT 2", "SELECT (")
	flags.StringVar(&o.from, "from", "", "begin with a copy of this `QUERY`")
	flags.BoolVar(&o.edit, "edit", false, "open the file in $VISUAL or $EDITOR, an existing one too")
}

func newNewQueryCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, newQueryOptions{shared: s}, "", runNewQuery, &cobra.Command{
		Use:   "new NAME",
		Short: "Write a saved query of your own",
		Long: `Writes NAME.sql into the folder of your saved queries, with a header: a title,
and a line for each parameter, to complete as you like. hindsql NAME runs it.`,
		Example: `  hindsql queries new pushes --sql "SELECT * FROM tool_calls WHERE command LIKE '%git push%'"
  hindsql queries new my-rejections --from rejections --edit`,
	})
	_ = cmd.RegisterFlagCompletionFunc("from", func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return completeQueries(w)(c, nil, typed)
	})
	return cmd
}

// ownQueries returns the folder of the user's saved queries.
func ownQueries(w *world) ask.Own {
	return ask.Own{Folder: queriesFolder(w), Commands: commandNames(newRootCommand(w, &aim{}))}
}

func runNewQuery(_ context.Context, w *world, o newQueryOptions) error {
	name, mine := o.args[0], ask.Own{Folder: queriesFolder(w), Commands: commandNames(o.cmd.Root())}
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
		return usagef("%s exists; hindsql queries new %s --edit opens it", w.short(path), name)
	case !exists && o.sql == "" && o.from == "" && !o.edit:
		return usagef(`which SQL? give --sql "SELECT …", --from QUERY, or --edit`)
	case !exists:
		if err := o.write(w, mine); err != nil {
			return err
		}
	}
	if o.edit {
		if err := edit(w, o.out, path); err != nil {
			return err
		}
	}
	if _, err := queries.Find(mine.Folder, name); err != nil {
		return fmt.Errorf("%w; hindsql queries new %s --edit opens it again", err, name)
	}
	_, err = fmt.Fprintf(w.stdout, "%s; hindsql %s runs it\n", w.short(path), name)
	return err
}

// write writes the file with which the query begins.
func (o *newQueryOptions) write(w *world, mine ask.Own) error {
	sql := o.sql
	if o.from != "" {
		q, err := savedQuery(w, o.from)
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
func edit(w *world, out *output, path string) error {
	editor := toolsOf(w, out).Editor
	cmd := term.Program(editor, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.stdin, w.stdout, w.stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w; name your editor in $EDITOR", editor, err)
	}
	return nil
}
