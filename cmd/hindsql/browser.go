package main

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
)

// browsers lists the programs that open a page in the browser, by OS.
var browsers = map[string]string{"darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"}

// openBrowser opens an address with a token in the browser: that of $BROWSER, or the
// system's. All users of the machine can see a program's arguments. So the argument is
// the path of a file that redirects to the address, and that only the user can read.
// forget removes the file, and is never nil.
func openBrowser(w *world, address string, at net.Addr) (forget func(), err error) {
	forget = func() {}
	folder := runtimeFolder(w)
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
	program := cmp.Or(w.getenv("BROWSER"), browsers[w.os], "xdg-open")
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
