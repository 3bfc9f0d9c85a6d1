package redact

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed docs.md
var docsHead string

// Docs returns the Markdown page about the rules: docs/redaction.md.
func Docs() string {
	var b strings.Builder
	fmt.Fprintf(&b, docsHead, len(readRules()))
	b.WriteString("\n| rule | finds | source |\n|---|---|---|\n")
	cell := strings.NewReplacer("|", `\|`, "\n", "⏎", "«", "", "»", "")
	for _, o := range Owns() {
		fmt.Fprintf(&b, "| %s | `%s` | <%s> |\n", o.Name, cell.Replace(o.Finds), o.Source)
	}
	return b.String()
}
