package main

import (
	"context"
	"io"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/mcp"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/internal/suggest"
)

// mcpOptions are the flags of hindsql mcp.
type mcpOptions struct {
	shared
	sight
	http string
}

func (o *mcpOptions) addFlags(flags *pflag.FlagSet) {
	o.sight.addFlags(flags)
	flags.StringVar(&o.http, "http", "", "answer over HTTP at this `ADDRESS` of the machine's own, such as 127.0.0.1:8321")
	tries(flags, "http", "127.0.0.1:0", "0.0.0.0:0")
}

// sight is what an agent may see: all projects or some, and secrets or not.
type sight struct {
	all      bool
	projects []string
	noRedact bool
}

func newMCPCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, mcpOptions{shared: s}, ofLogs+"no-sync", runMCP, &cobra.Command{
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
			return usagef("unknown command %q for hindsql mcp%s", args[0], suggest.Ask(args[0], []string{"install", "uninstall"}, "see hindsql mcp --help"))
		},
	})
	cmd.AddCommand(newMCPInstallCommand(w, s), newMCPUninstallCommand(w, s))
	return cmd
}

func (s *sight) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&s.all, "all", false, "answer from all projects")
	flags.StringArrayVar(&s.projects, "project", nil, "answer from what happened in `FOLDER`, a path or a folder's name; repeat for several")
	tries(flags, "project", "shop-api", "~")
	flags.BoolVar(&s.noRedact, "no-redact", false, "give texts as they are, with the secrets that they hold")
}

// check returns an error for contradictory flags.
func (s *sight) check() error {
	if s.all && len(s.projects) > 0 {
		return usagef("--all and --project contradict each other")
	}
	return nil
}

// scope returns the folders whose sessions the agent may see, and their name for
// people. Nil folders mean everything.
func (o *mcpOptions) scope(w *world) (folders []string, name string, err error) {
	if err := o.check(); err != nil {
		return nil, "", err
	}
	switch {
	case o.all, o.where.sample == sampleAlways && len(o.projects) == 0: // the sample's projects have no folders
		return nil, "", nil
	case len(o.projects) > 0:
		for _, p := range o.projects {
			more, err := projectFolders(w, p)
			if err != nil {
				return nil, "", err
			}
			folders = append(folders, more...)
		}
		return folders, strings.Join(o.projects, ", "), nil
	}
	if folders, err = repositoryHere(w); err != nil {
		return nil, "", err
	}
	return folders, w.short(folders[0]) + " and its worktrees", nil
}

func runMCP(ctx context.Context, w *world, o mcpOptions) error {
	folders, name, err := o.scope(w)
	if err != nil {
		return err
	}
	var listener net.Listener
	if o.http != "" {
		if listener, err = listenHTTP(o.http); err != nil {
			return err
		}
		defer listener.Close()
	}
	bounds := &engine.Safe{Projects: folders, Time: w.safeTime}
	if !o.noRedact {
		bounds.Redact = redact.New().Redact
	}
	return withMCP(ctx, w, o.where, bounds, name, func(ctx context.Context, s *mcp.Server) error {
		if listener != nil {
			return serveHTTP(ctx, w, s, listener)
		}
		if w.stdinTerminal {
			w.notice("this speaks the Model Context Protocol, a message a line; Ctrl-D ends it")
		}
		return s.Serve(ctx, io.NopCloser(w.stdin), noClose{w.stdout})
	})
}

// withMCP makes the MCP server over a safe store with the bounds, and calls use with
// the server.
func withMCP(ctx context.Context, w *world, from *where, bounds *engine.Safe, scope string, use func(context.Context, *mcp.Server) error) error {
	config, err := chosenConfig(ctx, w, from)
	if err != nil {
		return err
	}
	config.Safe, config.Patience = bounds, mcp.Patience
	source, err := ask.Open(ctx, config, savedOf(w))
	if err != nil {
		return err
	}
	defer source.Close()
	return use(ctx, mcp.New(mcp.Config{
		Source: source, Version: buildVersion(), Home: w.home, Agents: w.agents(), Here: here(w), Scope: scope, NoSync: from.noSync, Notice: w.notice, Panicked: w.panicked,
	}))
}

// noClose is standard output for the server: closing it does nothing, because the
// program still uses it.
type noClose struct{ io.Writer }

// Close does nothing.
func (noClose) Close() error { return nil }
