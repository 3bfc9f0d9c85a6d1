// Command hindsql-lake maintains a company's Iceberg tables of pushed rows. It commits
// landed files, drops superseded and forgotten ones, and prints statements for engines.
// Machines need neither hindsql-lake nor a catalog.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := program(os.Getenv).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "hindsql-lake:", err)
		os.Exit(1)
	}
}

const long = `hindsql-lake keeps Iceberg tables of what machines push with "hindsql push".

Files of rows stay where machines put them: the tables are made of them, and
"hindsql-lake expire" is what deletes them. One commits at a time, for all machines;
run it by cron, as often as the lake should be fresh:

    hindsql-lake commit s3://company-logs/hindsql --catalog https://catalog.example.org --warehouse main
    hindsql-lake expire s3://company-logs/hindsql --catalog https://catalog.example.org --warehouse main

Tables with all rows are in the namespace hindsql_with_copies, and views, in which a
row that lies on several machines stands once, in the namespace hindsql.

Keys of the bucket come from the environment, as AWS's programs have them. What the
catalog asks for comes from HINDSQL_LAKE_TOKEN, or HINDSQL_LAKE_CREDENTIAL as
CLIENT:SECRET. docs/lake.md says all of it.`

// program returns the command with its subcommands.
func program(getenv func(string) string) *cobra.Command {
	root := &cobra.Command{
		Use:           "hindsql-lake",
		Short:         "Iceberg tables of what machines push",
		Long:          long,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(commitCommand(getenv), expireCommand(getenv), viewsCommand(), compactCommand())
	return root
}
