package doctor

import (
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestPacked: the path of the program tells how it was packed.
func TestPacked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, released, exists, how string }{
		{"/usr/lib/node_modules/hindsql/node_modules/hindsql-linux-x64/bin/hindsql", "1.0.0", "", "npm"},
		{`C:\Users\me\AppData\Roaming\npm\node_modules\hindsql-win32-x64\bin\hindsql.exe`, "1.0.0", "", "npm"},
		{"/home/me/.local/share/uv/tools/hindsql/bin/hindsql", "1.0.0", "/home/me/.local/share/uv/tools/hindsql/lib/python3.12/site-packages/hindsql-1.0.0.dist-info", "uv"},
		{"/home/me/.local/share/pipx/venvs/hindsql/bin/hindsql", "1.0.0", "/home/me/.local/share/pipx/venvs/hindsql/lib/python3.12/site-packages/hindsql-1.0.0.dist-info", "pipx"},
		{"/home/me/.npm/_npx/0123/node_modules/hindsql-linux-x64/bin/hindsql", "1.0.0", "", "npx"},
		{"/home/me/.cache/uv/archive-v0/0123/bin/hindsql", "1.0.0", "/home/me/.cache/uv/archive-v0/0123/lib/python3.12/site-packages/hindsql-1.0.0.dist-info", "uvx"},
		{"/usr/local/bin/hindsql", "1.0.0", "/usr/local/lib/python3.12/dist-packages/hindsql-1.0.0.dist-info", "a wheel of Python"},
		{"/usr/local/bin/hindsql", "1.0.0", "/usr/local/lib64/python3.12/site-packages/hindsql-1.0.0.dist-info", "a wheel of Python"},
		{"/Users/me/Library/Python/3.12/bin/hindsql", "1.0.0", "/Users/me/Library/Python/3.12/lib/python/site-packages/hindsql-1.0.0.dist-info", "a wheel of Python"},
		{"/home/me/.local/bin/hindsql", "1.0.0", "/home/me/pipx/venvs/hindsql", "pipx"},
		{"/home/me/.local/bin/hindsql", "1.0.0", "/home/me/AppData/Roaming/uv/tools/hindsql", "uv"},
		{"/home/me/venv/bin/hindsql", "1.0.0", "/home/me/venv/lib/python3.12/site-packages/hindsql-1.0.0.dist-info", "a wheel of Python"},
		{"/usr/bin/hindsql", "1.0.0", "/var/lib/dpkg/info/hindsql.list", "a .deb"},
		{"/usr/bin/hindsql", "1.0.0", "", "an .rpm"},
		{"/home/me/.local/bin/hindsql", "1.0.0", "", "an archive"},
		{"/home/me/go/bin/hindsql", "", "", "source"},
	} {
		got := packed(test.path, test.released, func(pattern string) bool {
			found, err := filepath.Match(pattern, filepath.FromSlash(test.exists))
			return err == nil && found
		})
		if got.How != test.how || got.Path != test.path {
			t.Errorf("%s: %+v, want %s", test.path, got, test.how)
		}
	}
	p := Packed{How: "source"}
	p.bySource(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}})
	if p.How != "source" {
		t.Errorf("from a working tree: %+v", p)
	}
	p.bySource(&debug.BuildInfo{Path: "example.org/me/hindsql/cmd/hindsql", Main: debug.Module{Version: "v1.2.3", Sum: "h1:x"}})
	if p.Upgrade != "go install -tags duckdb_arrow example.org/me/hindsql/cmd/hindsql@latest" {
		t.Errorf("from go install: %+v", p)
	}
	if f := Program("1.0.0", "1.0.0", "darwin"); !strings.Contains(f.Do, "haven't run it on macOS") {
		t.Errorf("on macOS: %+v", f)
	}
}
