package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mostAtStart is the number of bytes that a package may allocate when the program
// starts, before main. Every command pays for them.
const mostAtStart = 64 << 10

// mostBefore is the number of bytes that all packages may allocate before package
// collector.
const mostBefore = 2 << 20

// largeAtStart lists the packages above mostAtStart, and the contents of the memory. The
// libraries have no equal that starts smaller. Add no package of hindsql: use
// sync.OnceValue or pattern.Lazy.
var largeAtStart = map[string]string{
	"github.com/alecthomas/chroma/lexers/e":      "tables of names of Emacs Lisp, which come with the lexers",
	"github.com/elastic/go-seccomp-bpf/arch":     "names of system calls",
	"github.com/google/jsonschema-go/jsonschema": "the schema of a schema, for MCP",
	"github.com/gorilla/css/scanner":             "patterns, for bluemonday",
	"github.com/microcosm-cc/bluemonday":         "patterns; a second safeguard that nobody should rewrite",
	"github.com/microcosm-cc/bluemonday/css":     "patterns, for bluemonday",
	"github.com/minio/minio-go/v7/pkg/s3utils":   "patterns and error texts",
	"github.com/yuin/goldmark/extension":         "patterns of bare links",
	"github.com/yuin/goldmark/parser":            "patterns of HTML",
	"github.com/yuin/goldmark/util":              "tables of characters",
	"hindsql/tables":                             "the declared columns, which almost every command needs",
	"golang.org/x/net/html":                      "tables of entities",
}

var inited = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`)

// TestLittleAtStart checks that packages allocate little when the program starts. It
// starts this test's binary, which links the same packages; only package main is left
// out, because the tests' own variables are in it. It looks at bytes, because times
// depend on the machine.
func TestLittleAtStart(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := map[string]bool{}
	sum := 0
	for _, m := range inited.FindAllStringSubmatch(string(out), -1) {
		name := strings.ReplaceAll(m[1], "%2e", ".")
		bytes, _ := strconv.Atoi(m[2])
		seen[name] = true
		if sum += bytes; name == "hindsql/internal/collector" && sum > mostBefore {
			t.Errorf("%d bytes are allocated before %s is initialised, and Go collects at 4 MB; want at most %d", sum, name, mostBefore)
		}
		if bytes > mostAtStart && largeAtStart[name] == "" && name != "hindsql/cmd/hindsql" {
			t.Errorf("%s allocates %d bytes when the program starts, and every command does; want at most %d", name, bytes, mostAtStart)
		}
	}
	if !seen["hindsql/internal/collector"] {
		t.Error("hindsql/internal/collector isn't initialised: main imports it")
	}
	for name := range largeAtStart {
		if !seen[name] {
			t.Errorf("largeAtStart names %s, which the program doesn't link or start", name)
		}
	}
}
