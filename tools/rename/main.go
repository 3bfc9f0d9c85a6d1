// Command rename gives hindsql's modules an address, such as example.com/owner/hindsql.
// Until somebody publishes hindsql, the modules have no host, and go install can't find
// them.
//
//	rename -C REPOSITORY HOST/OWNER
//
// In: a repository without uncommitted changes. Out: one commit, in which the module at
// the top is HOST/OWNER/hindsql, and the modules below it are HOST/OWNER/hindsql/tools
// and so on. The repository's old address may be any, so a second rename works, too.
//
// These change: module, require and replace lines of go.mod files; imports, strings and
// links of comments in Go files that name a package; and the list in places.go, which
// has all other texts. A text of that list that isn't found is an error, and nothing is
// written.
//
// These stay:
//   - The program's name, and all named after it: environment variables, folders, the
//     MCP server, packages of npm and PyPI. They are no addresses.
//   - Homebrew's tap, the maintainer's mail and winget's publisher, because HOST/OWNER
//     doesn't tell them. docs/install.md says where they are.
//   - The replace line of cmd/hindsql-lake, which builds with the tree around it. Go
//     installs no module with such a line, so go install works for hindsql only.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	repository := flag.String("C", ".", "`folder` of the repository")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: rename [-C folder] HOST/OWNER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	done, err := rename(*repository, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
	fmt.Println(done)
}
