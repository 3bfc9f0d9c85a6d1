package vscode

import (
	"net/url"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
)

// location is the path in a URI, and the machine if it is a remote one.
type location struct {
	path   string
	remote string // ssh-remote+host, wsl+Ubuntu, dev-container+…
}

// locationOf reads a URI: a text, or VS Code's object.
func locationOf(v *fastjson.Value) location {
	switch {
	case v == nil:
		return location{}
	case v.Type() == fastjson.TypeString:
		return locationIn(readers.Text(v))
	case v.Type() != fastjson.TypeObject:
		return location{}
	}
	p := readers.Text(v, "path")
	switch readers.Text(v, "scheme") {
	case "file", "":
		return location{path: onDrive(p)}
	case "vscode-remote":
		return location{p, readers.Text(v, "authority")}
	}
	return location{path: p}
}

// locationIn parses a URI by hand, because package url rejects escapes in a host.
func locationIn(text string) location {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || strings.ContainsAny(scheme, `/\`) {
		return location{path: text}
	}
	host, p := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, p = rest[:i], rest[i:]
	}
	host, p = unescaped(host), unescaped(p)
	switch {
	case scheme == "file" && host != "":
		return location{path: "//" + host + p}
	case scheme == "file":
		return location{path: onDrive(p)}
	}
	return location{p, host}
}

func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

var drive = pattern.Lazy(`^/?([A-Za-z]):`)

// onDrive turns a path like /c:/work into C:\work, as Windows writes it.
func onDrive(p string) string {
	m := drive.FindStringSubmatch(p)
	if m == nil {
		return p
	}
	return strings.ToUpper(m[1]) + ":" + strings.ReplaceAll(p[len(m[0]):], "/", `\`)
}

// samePath reports whether two texts name the same path.
func samePath(a, b string) bool { return a != "" && onDrive(a) == onDrive(b) }
