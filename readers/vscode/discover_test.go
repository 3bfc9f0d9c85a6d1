package vscode

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/posix"
	"hindsql/readers"
	"hindsql/readers/readertest"
)

// The same sessions are found from each possible root, and no other programs' files.
func TestFind(t *testing.T) {
	base := t.TempDir()
	readertest.WriteFiles(t, base,
		"Code/User/workspaceStorage/w1/chatSessions/a.json",
		"Code/User/workspaceStorage/w1/chatSessions/b.jsonl",
		"Code/User/workspaceStorage/w1/GitHub.copilot-chat/transcripts/c.jsonl",
		"Code/User/workspaceStorage/no-workspace/chatSessions/d.json",
		"Code/User/globalStorage/emptyWindowChatSessions/e.jsonl",
		"Code/User/globalStorage/transferredChatSessions/f.json",
		"Code/User/workspaceStorage/w1/workspace.json",
		"Code/User/workspaceStorage/w1/chatEditingSessions/a/state.json",
		"Code/User/workspaceStorage/w1/GitHub.copilot-chat/debug-logs/x/main.jsonl",
		"Code/User/workspaceStorage/w1/other.extension/chats/x.json",
		"Code/User/globalStorage/storage.json",
		"Code/User/settings.json",
		"Code/languagepacks.json",
		"Code/CachedData/x/y.json",
		"exports/My chat.json",
		"exports/deeper/no.json",
	)
	for root, want := range map[string]string{
		"Code":                          "a b c d e f",
		"Code/User":                     "a b c d e f",
		"Code/User/workspaceStorage":    "a b d",
		"Code/User/workspaceStorage/w1": "a b",
		"Code/User/workspaceStorage/w1/chatSessions":        "a b",
		"Code/User/globalStorage":                           "e f",
		"Code/User/workspaceStorage/w1/chatSessions/a.json": "a",
		"exports":              "My chat",
		"exports/My chat.json": "My chat",
		"nowhere":              "",
	} {
		logs, err := Reader.Find([]readers.Place{{Path: filepath.Join(base, filepath.FromSlash(root))}})
		if err != nil {
			t.Error(err)
		}
		var found []string
		for _, l := range logs {
			found = append(found, parsePlace(l.Rel).stem)
		}
		slices.Sort(found)
		if diff := cmp.Diff(want, strings.Join(found, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", root, diff)
		}
	}
}

func TestRoots(t *testing.T) {
	env := map[string]string{}
	host := func(os string) readers.Host {
		return readers.Host{OS: os, Home: "/home/ada", Getenv: func(name string) string { return env[name] }}
	}
	for _, test := range []struct{ os, name, value, want string }{
		{os: "linux", want: "/home/ada/.config/Code/User"},
		{os: "linux", want: "/home/ada/.config/Code - Insiders/User"},
		{os: "linux", want: "/home/ada/.var/app/com.visualstudio.code/config/Code/User"},
		{os: "linux", want: "/home/ada/.vscode-server/data/User"},
		{"linux", "XDG_CONFIG_HOME", "/c", "/c/VSCodium/User"},
		{"linux", "VSCODE_APPDATA", "/d", "/d/Code/User"},
		{os: "darwin", want: "/home/ada/Library/Application Support/Code/User"},
		{os: "windows", want: "/home/ada/AppData/Roaming/Code/User"},
		{"windows", "APPDATA", "/e", "/e/code-oss-dev/User"},
		{"linux", "VSCODE_PORTABLE", "/p", "/p/user-data/User"},
	} {
		clear(env)
		env[test.name] = test.value
		if places := Reader.Places(host(test.os), nil); !slices.ContainsFunc(places, func(p readers.Place) bool { return p.Path == posix.Path(test.want) }) {
			t.Errorf("%s %s=%s: no %s in %v", test.os, test.name, test.value, test.want, places)
		}
	}
}

func TestLocation(t *testing.T) {
	for uri, want := range map[string]location{
		"file:///home/ada/my%20site":                {path: "/home/ada/my site"},
		"file:///c%3A/Users/ada/site":               {path: `C:\Users\ada\site`},
		"file://server/share/x":                     {path: "//server/share/x"},
		"vscode-remote://ssh-remote%2Bbox/home/ada": {path: "/home/ada", remote: "ssh-remote+box"},
		"vscode-remote://wsl+Ubuntu/home/ada":       {path: "/home/ada", remote: "wsl+Ubuntu"},
		"/plain/path":                               {path: "/plain/path"},
		`c:\plain\path`:                             {path: `c:\plain\path`},
	} {
		if got := parseURI(uri); got != want {
			t.Errorf("%s: %+v, want %+v", uri, got, want)
		}
	}
	if !samePath("/c:/a/b", `C:\a\b`) || samePath("", "") || samePath("/a", "/b") {
		t.Error("samePath")
	}
}
