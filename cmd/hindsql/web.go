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

	"hindsql/cmd/hindsql/loopback"
	"hindsql/cmd/hindsql/show"
	"hindsql/cmd/hindsql/web"
	"hindsql/engine"
)

// webPort is where the pages are unless --port says otherwise, so that a
// bookmark stays true.
const webPort = 7878

// webFlags are those of hindsql web.
type webFlags struct {
	port int
	open bool
}

func (a *app) webCommand() *cobra.Command {
	var f webFlags
	cmd := &cobra.Command{
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
		Args:              between(0, 0, "hindsql web"),
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.serveWeb(cmd.Context(), f) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().IntVar(&f.port, "port", webPort, "answer at this `PORT`; 0 takes a free one")
	cmd.Flags().BoolVar(&f.open, "open", false, "open the pages in the browser, too")
	_ = cmd.RegisterFlagCompletionFunc("port", cobra.NoFileCompletions)
	return cmd
}

// listenWeb opens the port, before anything is loaded for it.
func (f *webFlags) listen() (net.Listener, error) {
	if f.port < 0 || f.port > 65535 {
		return nil, usagef("--port %d: a port is 1 to 65535, or 0 for a free one", f.port)
	}
	l, err := loopback.Listen(net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("--port %d: is taken, perhaps by another hindsql web; --port 0 takes a free one", f.port)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("--port %d: this user may not open it; take one above 1023", f.port)
	}
	return l, err
}

func (a *app) serveWeb(ctx context.Context, f webFlags) error {
	config, err := a.chosenConfig(ctx)
	if err != nil {
		return err
	}
	l, err := f.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	name, beside := a.ownName(l)
	return a.withConfig(ctx, config, a.synced(func(ctx context.Context, v *show.View) error {
		safe := config
		safe.Safe = &engine.Safe{Time: a.safeTime}
		s := web.New(web.Config{
			Source: v.Session.Source(), Safe: safe, Version: buildVersion(), Home: a.home, Agents: a.agents(), NoSync: a.noSync, Notice: a.notice, Name: name,
			Reports: a.allReports,
		})
		v.Session.Store().Detach(ctx)
		return cmp.Or(a.answerWeb(ctx, s, f, l, beside...), s.Close())
	}))
}

// answerWeb writes where the pages are, and answers until an interrupt.
func (a *app) answerWeb(ctx context.Context, s *web.Server, f webFlags, l net.Listener, beside ...net.Listener) error {
	token := rand.Text()
	address := web.Address(l.Addr(), token)
	if _, err := fmt.Fprintln(a.stdout, address); err != nil {
		return err
	}
	a.notice("open this address in a browser of this machine; Ctrl-C ends it")
	if f.open {
		forget, err := a.openBrowser(address, l.Addr())
		if err != nil {
			a.notice("--open: %v; open the address yourself", err)
		}
		defer forget()
	}
	return s.Serve(ctx, l, token, beside...)
}
