package main

import "github.com/spf13/cobra"

// newImportCommand returns a command that only tells users of older versions, in which
// import read exports, to use pull.
func newImportCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "import",
		Short:  "Gone; hindsql pull does it",
		Hidden: true,
		Long: `There is no import any more. What another machine pushed into a folder, hindsql
pull adds to the tables:

  hindsql push --plain-text desk     # on the other machine
  rsync -a --delete desk:desk/ desk/
  hindsql pull desk

A push leaves out what an import carried: private projects, and sessions without a
project where anything is private.`,
		DisableFlagParsing: true, // every call gets the answer
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if arg == "-h" || arg == "--help" {
					return cmd.Help()
				}
			}
			return usagef("there is no import any more: hindsql push --plain-text FOLDER on the other machine, copy FOLDER, and hindsql pull FOLDER here; " +
				"a push leaves out what an import carried of private projects, and, where there are any, sessions without a project")
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}
