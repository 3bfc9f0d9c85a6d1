package redact

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/redaction.md")

// TestDocs: docs/redaction.md is made from the rules.
func TestDocs(t *testing.T) {
	path, want := filepath.Join("..", "..", "docs", "redaction.md"), docs()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(page), "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("docs/redaction.md is out of date; run go test ./engine/redact -run Docs -update\n%s", diff)
	}
}

//go:embed docs.md
var docsHead string

// docs returns the page about the rules.
func docs() string {
	var b strings.Builder
	fmt.Fprintf(&b, docsHead, len(readRules()))
	b.WriteString("\n| rule | finds | source |\n|---|---|---|\n")
	cell := strings.NewReplacer("|", `\|`, "\n", "⏎", "«", "", "»", "")
	for _, o := range OwnRules() {
		fmt.Fprintf(&b, "| %s | `%s` | <%s> |\n", o.Name, cell.Replace(o.Finds), o.Source)
	}
	return b.String()
}
