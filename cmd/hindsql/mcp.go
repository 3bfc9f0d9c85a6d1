package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/loopback"
	"hindsql/cmd/hindsql/mcp"
	"hindsql/engine"
	"hindsql/engine/redact"
	"hindsql/internal/suggest"
)

// mcpOptions are the flags of hindsql mcp.
type mcpOptions struct {
	commandLine
	scopeFlags
	http string
}

func (o *mcpOptions) addFlags(flags *pflag.FlagSet) {
	o.scopeFlags.addFlags(flags)
	flags.StringVar(&o.http, "http", "", "answer over HTTP at this `ADDRESS` of the machine's own, such as 127.0.0.1:8321")
	tries(flags, "http", "127.0.0.1:0", "0.0.0.0:0")
}

func newMCPCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, mcpOptions{commandLine: s}, ofLogs+"no-sync", runMCP, &cobra.Command{
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
	cmd.AddCommand(newMCPInstallCommand(env, s), newMCPUninstallCommand(env, s))
	return cmd
}

// scope returns the folders whose sessions the agent may see, and their name for
// people. Nil folders mean everything.
func (o *mcpOptions) scope(env *environment) (folders []string, name string, err error) {
	if err := o.check(); err != nil {
		return nil, "", err
	}
	switch {
	case o.all, o.logs.sample == sampleAlways && len(o.projects) == 0: // the sample's projects have no folders
		return nil, "", nil
	case len(o.projects) > 0:
		for _, p := range o.projects {
			more, err := projectFolders(env, p)
			if err != nil {
				return nil, "", err
			}
			folders = append(folders, more...)
		}
		return folders, strings.Join(o.projects, ", "), nil
	}
	if folders, err = currentRepository(env); err != nil {
		return nil, "", err
	}
	return folders, env.short(folders[0]) + " and its worktrees", nil
}

// currentRepository returns the folders of the current repository, the usual scope of an
// agent. Outside of a repository it returns a usage error.
func currentRepository(env *environment) ([]string, error) {
	folders := ask.RepositoryOf(env.home, env.folder)
	if len(folders) == 0 {
		return nil, usagef("mcp: %s: no repository here; start it in one, name one with --project, or say --all", cmp.Or(env.short(env.folder), "this folder"))
	}
	return folders, nil
}

func runMCP(ctx context.Context, env *environment, o mcpOptions) error {
	folders, name, err := o.scope(env)
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
	bounds := &engine.Safe{Projects: folders, Time: env.safeTime}
	if !o.noRedact {
		bounds.Redact = redact.New().Redact
	}
	return withMCP(ctx, env, o.logs, bounds, name, func(ctx context.Context, s *mcp.Server) error {
		if listener != nil {
			return serveHTTP(ctx, env, s, listener)
		}
		if env.stdinTerminal {
			env.notice("this speaks the Model Context Protocol, a message a line; Ctrl-D ends it")
		}
		return s.Serve(ctx, io.NopCloser(env.stdin), noClose{env.stdout})
	})
}

// withMCP makes the MCP server over a safe store with the bounds, and calls use with
// the server.
func withMCP(ctx context.Context, env *environment, from *logFlags, bounds *engine.Safe, scope string, use func(context.Context, *mcp.Server) error) error {
	config, err := chosenConfig(ctx, env, from)
	if err != nil {
		return err
	}
	config.Safe, config.Patience = bounds, mcp.Patience
	source, err := ask.Open(ctx, config, queriesFunc(env))
	if err != nil {
		return err
	}
	defer source.Close()
	return use(ctx, mcp.New(mcp.Config{
		Source: source, Version: buildVersion(), Home: env.home, Here: currentFolders(env), Scope: scope, NoSync: from.noSync, Notice: env.notice, Panicked: env.reportPanic,
	}))
}

// noClose is standard output for the server: closing it does nothing, because the
// program still uses it.
type noClose struct{ io.Writer }

// Close does nothing.
func (noClose) Close() error { return nil }

// tokenVariable names the environment variable with a token that the user chose.
// Without it, the server makes a token.
const tokenVariable = "HINDSQL_TOKEN"

// listenHTTP opens the address of --http.
func listenHTTP(address string) (net.Listener, error) {
	l, err := loopback.Listen(address)
	if errors.As(err, new(*loopback.NotOurs)) {
		return nil, usagef("--http %v", err)
	}
	return l, err
}

// serveHTTP answers at the listener until an interrupt. It tells the user on stderr the
// address, and where the token is, because another program may read standard output.
func serveHTTP(ctx context.Context, env *environment, s *mcp.Server, l net.Listener) error {
	token, err := serverToken(env, l.Addr())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	from := "$" + tokenVariable
	if token.Path != "" {
		from = env.short(token.Path)
		defer token.Remove()
	}
	env.notice("http://%s%s answers who sends the token of %s (Authorization: Bearer TOKEN); Ctrl-C ends it", l.Addr(), mcp.Path, from)
	return s.ServeHTTP(ctx, l, token.Text)
}

// serverToken returns the token of the environment, or a new token.
func serverToken(env *environment, at net.Addr) (loopback.Token, error) {
	if text := env.getenv(tokenVariable); text != "" {
		if err := loopback.CheckToken(text); err != nil {
			return loopback.Token{}, usagef("$%s: %v; without the variable one is made", tokenVariable, err)
		}
		return loopback.Token{Text: text}, nil
	}
	folder := runtimeFolder(env)
	if folder == "" {
		return loopback.Token{}, usagef("mcp: no home folder is known to keep a token in; give one in $%s", tokenVariable)
	}
	return loopback.NewToken(folder, at)
}
