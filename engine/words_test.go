package engine_test

import (
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// TestProgram finds the program in command lines of three shells.
func TestProgram(t *testing.T) {
	whole.Test(t, "starts processes, 1.0 s of processor time")
	t.Parallel()
	h := newHome(t)
	for _, test := range []struct{ command, want string }{
		{"ls -l", "ls"}, {"/usr/bin/git -C /w status -s", "git status"}, {"cd /w && CI=1 npm run build:all", "npm run build:all"},
		{"export A=1; sudo apt-get install x", "apt-get install"}, {`FOO="a b" make test`, "make test"}, {"out=$(grep x f)", "grep"},
		{"Get-ChildItem -Recurse | Select-String x", "Get-ChildItem"}, {"(Get-Content a.txt).Count", "Get-Content"},
		{"$env:CI = 'true'; npm test", "npm test"}, {"$env:PATH += \";C:\\x\"\r\ngo test ./...", "go test"}, {"$env:A=1; $env:B='2'; .\\gradlew.bat build", "gradlew.bat"},
		{"$a = 'x', \"y\"\nGet-Item $a", "Get-Item"}, {"A=\"b-$$\" && x", `A="b-$$"`},
		{"$files = Get-ChildItem src; $files.Count", "Get-ChildItem"}, {"[Console]::OutputEncoding = [System.Text.Encoding]::UTF8; git log -1", "git log"},
		{"Set-Location -LiteralPath 'C:\\a b'; dotnet build", "dotnet build"}, {`cd /d C:\w && npm.cmd test`, "npm test"}, {`set CI=1&& node a.js`, "node"},
		{`& "C:\Program Files\Git\bin\git.exe" status`, "git status"}, {`"C:\Program Files\nodejs\node.exe" a.js`, "node"}, {`C:\Windows\System32\where.exe git`, "where"},
		{`powershell.exe -NoProfile -ExecutionPolicy Bypass -Command "Remove-Item x"`, "Remove-Item"}, {`pwsh -c 'Get-Date'`, "Get-Date"}, {`cmd.exe /c "dir /b"`, "dir"},
		{`.\build.ps1 -Release`, "build.ps1"}, {"./run.sh", "run.sh"}, {`\ls`, "ls"}, {`echo "a\b/c"`, "echo"},
	} {
		h.Want("SELECT program('"+strings.ReplaceAll(test.command, "'", "''")+"')", test.want)
	}
	h.Want("SELECT program(NULL), program('')", "NULL|")
}

// TestFileIn shortens paths within a folder, on POSIX and Windows.
func TestFileIn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, test := range []struct{ folder, path, want string }{
		{"/w/site", "/w/site/src/a.go", "src/a.go"}, {"/w/site", "/w/site2/a.go", "/w/site2/a.go"}, {"/w/site", "a.go", "a.go"},
		{"/w/site", `/w/site/a\b.go`, `a\b.go`}, {"/w/site", `a\b.go`, `a\b.go`},
		{`C:\w\site`, `C:\w\site\src\a.go`, "src/a.go"}, {`C:\w\site`, `c:\W\Site\src\a.go`, "src/a.go"}, {`C:\w\site\`, "c:/w/site/src/a.go", "src/a.go"},
		{`C:/w/site`, `C:\w\site\a.go`, "a.go"}, {`C:\w\site`, `C:\w\site2\a.go`, `C:\w\site2\a.go`}, {`C:\w\site`, `src\a.go`, "src/a.go"},
		{`\\host\share\site`, `\\HOST\share\site\a.go`, "a.go"}, {`C:\w\site`, `D:\w\site\a.go`, `D:\w\site\a.go`},
	} {
		h.Want("SELECT file_in('"+test.folder+"', '"+test.path+"')", test.want)
	}
	h.Want("SELECT file_in(NULL, 'a'), file_in('/w', NULL), file_in('C:\\w', NULL)", "a|NULL|NULL")
}

// TestAbout names what calls were about: the file before the command, the command
// before the arguments, and of the arguments the one that says most.
func TestAbout(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, test := range []struct{ call, want string }{
		{`'a.go', 'sed -i s/x/y/ a.go', '{}'`, "a.go"}, {`NULL, 'ls', '{"description": "list"}'`, "ls"},
		{`NULL, NULL, '{"allowed": [], "plan": "1. test"}'`, "1. test"}, {`NULL, NULL, '{"questions": [{"question": "Red?"}, {"question": "Green?"}]}'`, "Red?"},
		{`NULL, NULL, '{"path": "src", "pattern": "TODO"}'`, "TODO"}, {`NULL, NULL, '{"prompt": "the title", "url": "https://a.example"}'`, "https://a.example"},
		{`NULL, NULL, '{"n": 1}'`, `{"n": 1}`}, {`NULL, NULL, '[1]'`, "[1]"}, {`NULL, NULL, NULL`, "NULL"},
	} {
		h.Want("SELECT about("+test.call+")", test.want)
	}
	h.Want(`SELECT asked('{"summary": "a plan"}'), asked('{"question": "Why?"}'), asked('{"url": "x"}'), asked(NULL)`, "a plan|Why?|NULL|NULL")
}
