// Command types, run by make types, type-checks the program, the tests and the other
// modules like the compiler, on each system that hindsql supports. The check needs
// neither a C compiler nor the systems: go list names the files of a build, and
// go/types checks them.
//
// Each error is a line on stdout: FILE:LINE:COLUMN, the message, and the platforms with
// the error. The exit code is 1 if there are errors. Names from C count as correct,
// because types reads no C headers.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

// platforms lists the supported systems, as GOOS/GOARCH, except linux/amd64, on which
// the tests run.
var platforms = []string{"windows/amd64", "darwin/amd64", "darwin/arm64", "linux/arm64", "freebsd/amd64"}

// modules lists the repository's folders with a go.mod.
var modules = []string{".", "tools", "cmd/hindsql-lake"}

func main() {
	repository := flag.String("C", ".", "`folder` of the repository")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: types [-C folder] [GOOS/GOARCH...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		platforms = flag.Args()
	}
	debug.SetGCPercent(400) // syntax trees live as long as the program
	begin := time.Now()
	found, err := check(*repository, modules, platforms)
	if err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
	for _, line := range found.lines() {
		fmt.Println(line)
	}
	fmt.Fprintf(os.Stderr, "types: %d packages of %s on %s: %d errors (%v)\n", found.packages, strings.Join(modules, ", "), strings.Join(platforms, ", "),
		len(found.where), time.Since(begin).Round(100*time.Millisecond))
	if len(found.where) > 0 {
		os.Exit(1)
	}
}
