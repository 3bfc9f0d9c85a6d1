package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/loopback"
	"hindsql/cmd/hindsql/term"
	"hindsql/cmd/hindsql/web"
	"hindsql/engine"
	"hindsql/queries/report"
)

// webPort is the default port of the pages. It is fixed to keep bookmarks working.
const webPort = 7878

// webOptions are the flags of hindsql web.
type webOptions struct {
	shared
	port int
	open bool
}

func (o *webOptions) addFlags(flags *pflag.FlagSet) {
	flags.IntVar(&o.port, "port", webPort, "answer at this `PORT`; 0 takes a free one")
	flags.BoolVar(&o.open, "open", false, "open the pages in the browser, too")
}

func newWebCommand(w *world, s shared) *cobra.Command {
	cmd := newCommand(w, webOptions{shared: s}, ofLogs+"no-sync", runWeb, &cobra.Command{
		Use:   "web",
		Short: "Look at it in a browser",
		Long: `Serves pages to a browser of this machine, and writes the address that lets it in:
the week at a glance, what you refused with its diffs, each session from beginning
to end, search, saved queries, and SQL with charts. An open page follows the logs.

Only this machine is answered, and only who comes with the token of that address,
which each start makes anew. Nothing is fetched from elsewhere. SQL that is typed
into a page runs in bounds and without files, as with --safe. From another machine,
forward the port: ssh -L 7878:127.0.0.1:7878 HOST.

Ctrl-C ends it.`,
		Example: `  hindsql web --open
  hindsql web --port 0                   # a free one`,
	})
	_ = cmd.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	return cmd
}

// listen opens the port, before any rows are loaded.
func (o *webOptions) listen() (net.Listener, error) {
	if o.port < 0 || o.port > 65535 {
		return nil, usagef("--port %d: a port is 1 to 65535, or 0 for a free one", o.port)
	}
	l, err := loopback.Listen(net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("--port %d: is taken, perhaps by another hindsql web; --port 0 takes a free one", o.port)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("--port %d: this user may not open it; take one above 1023", o.port)
	}
	return l, err
}

func runWeb(ctx context.Context, w *world, o webOptions) error {
	config, err := chosenConfig(ctx, w, o.where)
	if err != nil {
		return err
	}
	l, err := o.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	name, beside := ownName(w, l)
	return withConfig(ctx, w, config, synced(w, o.where, func(ctx context.Context, v *term.View) error {
		safe := config
		safe.Safe = &engine.Safe{Time: w.safeTime}
		s := web.New(web.Config{
			Source: v.Session.Source(), Safe: safe, Version: buildVersion(), Home: w.home, Agents: w.agents(), NoSync: o.where.noSync, Notice: w.notice, Panicked: w.panicked, Name: name,
			Own:     ownQueries(w),
			Reports: func() ([]*report.Report, error) { return allReports(w) },
		})
		v.Session.Store().Detach(ctx)
		return cmp.Or(answerWeb(ctx, w, s, o, l, beside...), s.Close())
	}))
}

// answerWeb writes the address of the pages, and answers until an interrupt.
func answerWeb(ctx context.Context, w *world, s *web.Server, o webOptions, l net.Listener, beside ...net.Listener) error {
	token := rand.Text()
	address := web.Address(l.Addr(), token)
	if _, err := fmt.Fprintln(w.stdout, address); err != nil {
		return err
	}
	w.notice("open this address in a browser of this machine; Ctrl-C ends it")
	if o.open {
		forget, err := openBrowser(w, address, l.Addr())
		if err != nil {
			w.notice("--open: %v; open the address yourself", err)
		}
		defer forget()
	}
	return s.Serve(ctx, l, token, beside...)
}
