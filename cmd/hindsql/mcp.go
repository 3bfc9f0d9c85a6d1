package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/mcp"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/queries"
)

// mcpFlags are those of hindsql mcp.
type mcpFlags struct {
	all      bool
	projects []string
	noRedact bool
}

func (a *app) mcpCommand() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer agents over the Model Context Protocol",
		Long: `Serves the Model Context Protocol on standard input and output, for a coding
agent that asks what was done and refused before. It has three tools: query (SQL),
run (a saved query) and describe.

An agent sees what happened in the repository of the working folder and in its
worktrees, with secrets replaced by [redacted:RULE]; --all, --project and
--no-redact say otherwise. Its SQL runs in bounds, on a copy of the rows, without
files, network and settings, as with --safe. The scope is a default, no wall: an
agent that may run programs can run hindsql.`,
		Example: `  hindsql mcp install                    # has agents start it
  hindsql mcp
  hindsql mcp --all
  hindsql mcp --project ~/src/shop`,
		Args:              between(0, 0, "hindsql mcp"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd.Context(), f) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.addScope(cmd)
	cmd.AddCommand(a.mcpInstallers()...)
	return cmd
}

// addScope adds the flags that say what an agent may see.
func (f *mcpFlags) addScope(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "answer from all projects")
	flags.StringArrayVar(&f.projects, "project", nil, "answer from what happened in `FOLDER`, a path or a folder's name; repeat for several")
	flags.BoolVar(&f.noRedact, "no-redact", false, "give texts as they are, with the secrets that they hold")
}

// mcpScope are the folders in scope, none for everything, and what they are called.
func (a *app) mcpScope(f mcpFlags) (folders []string, name string, err error) {
	switch {
	case f.all && len(f.projects) > 0:
		return nil, "", usagef("--all and --project contradict each other")
	case f.all, a.sample == sampleAlways && len(f.projects) == 0: // the sample's projects lie nowhere
		return nil, "", nil
	case len(f.projects) > 0:
		for _, p := range f.projects {
			more, err := a.projectFolders(p)
			if err != nil {
				return nil, "", err
			}
			folders = append(folders, more...)
		}
		return folders, strings.Join(f.projects, ", "), nil
	}
	folders = a.here()
	if len(folders) == 0 {
		return nil, "", usagef("mcp: %s: no repository here; start it in one, name one with --project, or say --all", a.short(a.folder))
	}
	return folders, a.short(folders[0]) + " and its worktrees", nil
}

func (a *app) serveMCP(ctx context.Context, f mcpFlags) error {
	folders, name, err := a.mcpScope(f)
	if err != nil {
		return err
	}
	bounds := &engine.Safe{Projects: folders}
	if !f.noRedact {
		bounds.Redact = redact.New().Redact
	}
	return a.withMCP(ctx, bounds, name, func(ctx context.Context, s *mcp.Server) error {
		if a.stdinTerminal {
			a.notice("this speaks the Model Context Protocol, a message a line; Ctrl-D ends it")
		}
		return s.Serve(ctx, io.NopCloser(a.stdin), noClose{a.stdout})
	})
}

// withMCP makes the server, over a safe store, and calls use.
func (a *app) withMCP(ctx context.Context, bounds *engine.Safe, scope string, use func(context.Context, *mcp.Server) error) error {
	config, err := a.chosenConfig(ctx)
	if err != nil {
		return err
	}
	config.Safe, config.Patience = bounds, mcp.Patience
	st, err := engine.Open(ctx, config)
	if err != nil {
		return err
	}
	defer st.Close()
	return use(ctx, mcp.New(mcp.Config{
		Store: st, Version: buildVersion(), Home: a.home, Agents: a.agents(), Here: show.Folders(a.here()), Scope: scope, NoSync: a.noSync,
		Queries: func() ([]*queries.Query, error) { return a.saved() },
	}))
}

// noClose is a stream that the program goes on to use.
type noClose struct{ io.Writer }

// Close does nothing.
func (noClose) Close() error { return nil }
