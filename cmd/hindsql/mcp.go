package main

import (
	"context"
	"io"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/mcp"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/near"
)

// mcpFlags are those of hindsql mcp.
type mcpFlags struct {
	all      bool
	projects []string
	noRedact bool
	http     string
}

func (a *app) mcpCommand() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Answer agents over the Model Context Protocol",
		Long: `Serves the Model Context Protocol on standard input and output, for a coding
agent that asks what was done and refused before. It has three tools: query (SQL),
run (a saved query) and describe.

--http serves it at /mcp of an address of this machine's own (streamable HTTP, no
sessions; port 0 takes a free one), to who sends a token: that of $HINDSQL_TOKEN,
else of a file that is made at the start and gone at the end, and named on
standard error.

An agent sees what happened in the repository of the working folder and in its
worktrees, with secrets replaced by [redacted:RULE]; --all, --project and
--no-redact say otherwise. Its SQL runs in bounds, on a copy of the rows, without
files, network and settings, as with --safe. The scope is a default, no wall: an
agent that may run programs can run hindsql.`,
		Example: `  hindsql mcp install                    # has agents start it
  hindsql mcp
  hindsql mcp --all
  hindsql mcp --project ~/src/shop
  hindsql mcp --http 127.0.0.1:8321`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usagef("unknown command %q for hindsql mcp%s", args[0], near.Ask(args[0], []string{"install", "uninstall"}, "see hindsql mcp --help"))
		},
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd.Context(), f) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.addScope(cmd)
	cmd.Flags().StringVar(&f.http, "http", "", "answer over HTTP at this `ADDRESS` of the machine's own, such as 127.0.0.1:8321")
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

// check refuses flags that contradict each other.
func (f *mcpFlags) check() error {
	if f.all && len(f.projects) > 0 {
		return usagef("--all and --project contradict each other")
	}
	return nil
}

// mcpScope are the folders in scope, none for everything, and what they are called.
func (a *app) mcpScope(f mcpFlags) (folders []string, name string, err error) {
	if err := f.check(); err != nil {
		return nil, "", err
	}
	switch {
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
	if folders, err = a.repositoryHere(); err != nil {
		return nil, "", err
	}
	return folders, a.short(folders[0]) + " and its worktrees", nil
}

func (a *app) serveMCP(ctx context.Context, f mcpFlags) error {
	folders, name, err := a.mcpScope(f)
	if err != nil {
		return err
	}
	var listener net.Listener
	if f.http != "" {
		if listener, err = a.listen(f.http); err != nil {
			return err
		}
		defer listener.Close()
	}
	bounds := &engine.Safe{Projects: folders, Time: a.safeTime}
	if !f.noRedact {
		bounds.Redact = redact.New().Redact
	}
	return a.withMCP(ctx, bounds, name, func(ctx context.Context, s *mcp.Server) error {
		if listener != nil {
			return a.serveHTTP(ctx, s, listener)
		}
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
	source, err := ask.Open(ctx, config, a.saved)
	if err != nil {
		return err
	}
	defer source.Close()
	return use(ctx, mcp.New(mcp.Config{
		Source: source, Version: buildVersion(), Home: a.home, Agents: a.agents(), Here: a.here(), Scope: scope, NoSync: a.noSync, Notice: a.notice,
	}))
}

// noClose is a stream that the program goes on to use.
type noClose struct{ io.Writer }

// Close does nothing.
func (noClose) Close() error { return nil }
