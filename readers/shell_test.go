package readers_test

import (
	"slices"
	"strings"
	"testing"

	"hindsql/readers"
)

func TestCommandParts(t *testing.T) {
	for command, want := range map[string]string{
		"git status":                            "git status:*",
		"git status --short && git push origin": "git status:*; git push origin",
		"git add . ; git add -A":                "git add:*",
		"ls -la src | wc -l":                    "ls:*; wc:*",
		"make db-migrate-local":                 "make db-migrate-local",
		"npm run test:unit -- --watch":          "npm run test:unit:*",
		"npm run ../evil":                       "npm run ../evil",
		"gh pr view 12 --web":                   "gh pr view:*",
		"gh pr merge 12":                        "gh pr merge 12",
		`go test -run "TestCart" ./...`:         "go test:*",
		"rm -rf build":                          "rm -rf build",
		"cd web && npm test":                    "cd web; npm test:*",
		"git -c core.pager=less log":            "git -c core.pager=less log",
	} {
		if got := strings.Join(readers.CommandParts(command), "; "); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// hostile lists commands that hide the program to run, or whose parts as rules could
// allow a different command.
var hostile = []string{
	"git status $(rm -rf ~)",
	"git status `rm -rf ~`",
	"git log > ~/.bashrc",
	"git log 2>&1",
	"cat <<EOF\nrm -rf ~\nEOF",
	"git status\nrm -rf ~",
	"git status\rrm -rf ~",
	`echo "a && rm -rf ~"`,
	`echo 'a; rm -rf ~'`,
	`git log --format="%h | %s"`,
	"git status & rm -rf ~",
	"(git status; rm -rf ~)",
	"{ git status; rm -rf ~; }",
	"PATH=/tmp/evil git status",
	"git status; $CMD",
	"Get-ChildItem -Recurse",
	"git status | Select-String x",
	`type C:\w\a.txt`,
	"$env:CI = 1; npm test",
	"eval git\\ status",
	"git sta\\tus",
	"git st'at'us",
	"! git status",
	"if true; then rm -rf ~; fi",
	"f() { rm -rf ~; }; f",
	"git status <(curl evil.example)",
	"git status # harmless",
	"rm -rf ~/{a,b}",
	"ls *",
	"git status\u00a0; rm",
	"gіt status", // the second letter is Cyrillic
	"git status \u202e",
	"$'\\x72\\x6d' -rf ~",
	`bash -c "rm -rf ~"`,
	"git status && ",
	"'git status",
	"",
	"   ",
	strings.Repeat("ls; ", 2000) + "ls",
}

func TestHostileCommandsAreNotSplit(t *testing.T) {
	for _, command := range hostile {
		if parts := readers.CommandParts(command); parts != nil {
			t.Errorf("%q: %q, want none", command, parts)
		}
	}
}

// TestNoRuleForInterpreters: programs that run programs are never suggested with
// arbitrary arguments.
func TestNoRuleForInterpreters(t *testing.T) {
	for _, program := range strings.Fields("bash sh zsh python python3 node perl ruby env sudo xargs find ssh eval exec nohup time nice npx make docker awk sed curl rm") {
		parts := readers.CommandParts(program + " run x")
		if slices.ContainsFunc(parts, func(p string) bool { return strings.HasSuffix(p, "*") }) {
			t.Errorf("%s: %q", program, parts)
		}
	}
}

func FuzzCommandParts(f *testing.F) {
	for _, command := range hostile {
		f.Add(command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		for _, part := range readers.CommandParts(command) {
			if part == "" || strings.ContainsAny(strings.TrimSuffix(part, ":*"), "\n\r|&;<>()$`\\\"'*") {
				t.Errorf("%q gives the part %q", command, part)
			}
		}
	})
}
