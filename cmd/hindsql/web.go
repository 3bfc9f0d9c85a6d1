package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/loopback"
	"hindsql/cmd/hindsql/term"
	"hindsql/cmd/hindsql/web"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
	"hindsql/queries/report"
)

// webPort is the default port of the pages. It is fixed to keep bookmarks working.
const webPort = 7878

// webOptions are the flags of hindsql web.
type webOptions struct {
	commandLine
	port int
	open bool
}

func (o *webOptions) addFlags(flags *pflag.FlagSet) {
	flags.IntVar(&o.port, "port", webPort, "answer at this `PORT`; 0 takes a free one")
	flags.BoolVar(&o.open, "open", false, "open the pages in the browser, too")
}

func newWebCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, webOptions{commandLine: s}, ofLogs+"no-sync", runWeb, &cobra.Command{
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

func runWeb(ctx context.Context, env *environment, o webOptions) error {
	config, err := chosenConfig(ctx, env, o.logs)
	if err != nil {
		return err
	}
	l, err := o.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	name, beside := localName(env, l)
	return withConfig(ctx, env, config, withSync(env, o.logs, func(ctx context.Context, v *term.View) error {
		safe := config
		safe.Safe = &engine.Safe{Time: env.safeTime}
		s := web.New(web.Config{
			Source: v.Session.Source(), Safe: safe, Version: buildVersion(), Home: env.home, Agents: env.agents(), NoSync: o.logs.noSync, Notice: env.notice, Panicked: env.reportPanic, Name: name,
			Own:     ownQueries(env, o.commandLine),
			Reports: func() ([]*report.Report, error) { return allReports(env) },
		})
		v.Session.Store().Detach(ctx)
		return cmp.Or(answerWeb(ctx, env, s, o, l, beside...), s.Close())
	}))
}

// answerWeb writes the address of the pages, and answers until an interrupt.
func answerWeb(ctx context.Context, env *environment, s *web.Server, o webOptions, l net.Listener, beside ...net.Listener) error {
	token := rand.Text()
	address := web.Address(l.Addr(), token)
	if _, err := fmt.Fprintln(env.stdout, address); err != nil {
		return err
	}
	env.notice("open this address in a browser of this machine; Ctrl-C ends it")
	if o.open {
		forget, err := openBrowser(env, address, l.Addr())
		if err != nil {
			env.notice("--open: %v; open the address yourself", err)
		}
		defer forget()
	}
	return s.Serve(ctx, l, token, beside...)
}

// localName returns the user's own NAME, for the second address NAME.localhost of the
// pages, and the additional listeners that the address needs. If NAME can't be made, it
// tells the user, and name is empty.
func localName(env *environment, l net.Listener) (name string, beside []net.Listener) {
	name, err := webName(env)
	if err == nil {
		beside, err = loopback.ListenIPv6(l)
	}
	if err != nil {
		env.notice("the pages stay at 127.0.0.1, whose cookies every port of this machine gets: %s", env.short(err.Error()))
		return "", nil
	}
	return name, beside
}

// webName returns a name known only to this user.
func webName(env *environment) (string, error) {
	folder := env.state("")
	if folder == "" {
		return "", errors.New("no home folder is known to keep a name for them in; set XDG_STATE_HOME")
	}
	return loopback.Name(folder)
}

// browsers lists the programs that open a page in the browser, by OS.
var browsers = map[string]string{"darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"}

// openBrowser opens an address with a token in the browser: that of $BROWSER, or the
// system's. All users of the machine can see a program's arguments. So the argument is
// the path of a file that redirects to the address, and that only the user can read.
// forget removes the file, and is never nil.
func openBrowser(env *environment, address string, at net.Addr) (forget func(), err error) {
	forget = func() {}
	folder := runtimeFolder(env)
	if folder == "" {
		return forget, errors.New("no home folder is known to keep the token in")
	}
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return forget, err
	}
	path := filepath.Join(folder, "web-"+port+".html")
	page := fmt.Sprintf("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>hindsql</title>\n<meta http-equiv=\"refresh\" content=\"0; url=%[1]s\">\n<a href=\"%[1]s\">hindsql</a>\n",
		template.HTMLEscapeString(address))
	if err := errors.Join(os.MkdirAll(folder, 0o700), atomicfile.Write(path, []byte(page))); err != nil {
		return forget, err
	}
	forget = func() { _ = os.Remove(path) }
	program := cmp.Or(env.getenv("BROWSER"), browsers[env.os], "xdg-open")
	if _, err := exec.LookPath(strings.Fields(program)[0]); err != nil {
		return forget, fmt.Errorf("%s is not on PATH", strings.Fields(program)[0])
	}
	cmd := term.Program(program, (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String())
	if err := cmd.Start(); err != nil {
		return forget, err
	}
	go func() { _ = cmd.Wait() }() // the browser may stay open
	return forget, nil
}
