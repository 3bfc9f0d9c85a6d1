package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// consoleBlock matches an example in a page: a command and its output.
var consoleBlock = regexp.MustCompile("(?s)```console\n\\$ hindsql .*?\n```")

// shownPages are the pages whose examples are run on the sample.
var shownPages = []string{"README.md", "docs/cookbook.md"}

// TestShownExamples runs every example of the pages, and compares the output with the
// page. -update writes the output into the page.
func TestShownExamples(t *testing.T) {
	t.Parallel()
	for _, page := range shownPages {
		t.Run(page, func(t *testing.T) {
			if page != "README.md" {
				whole.Test(t, "runs each example of a long page")
			}
			t.Parallel()
			path := filepath.Join("..", "..", page)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			examples := 0
			got := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
				examples++
				command := commandOf(block)
				return "```console\n$ hindsql " + command + "\n" + answerTo(t, command) + "```"
			})
			if examples == 0 {
				t.Fatal("no example found")
			}
			compareGolden(t, path, got)
		})
	}
}

// commandOf returns the command line of an example, without the program's name.
func commandOf(block string) string {
	command, _, _ := strings.Cut(strings.TrimPrefix(block, "```console\n$ hindsql "), "\n")
	return command
}

// answerTo returns a command's output on a terminal without colours.
func answerTo(t *testing.T, command string) string {
	t.Helper()
	e, stdout, stderr := outside(t, append([]string{"--timezone", "UTC"}, wordsOf(t, command)...)...)
	e.getenv = cachedIn(sampleCache(), "NO_COLOR=1", "PAGER=cat")
	e.stdoutTerminal, e.width = true, pageWidth
	return elapsedTime.ReplaceAllString(succeed(t, e, stdout, stderr), "$1")
}

// pageWidth is the width in columns of an example's terminal. A web page has room for
// it.
const pageWidth = 120

// wordsOf splits a command line at spaces outside of double quotes.
func wordsOf(t *testing.T, command string) []string {
	parts := strings.Split(command, `"`)
	if len(parts)%2 == 0 {
		t.Fatalf("unbalanced quotes: %s", command)
	}
	var args []string
	for i, part := range parts {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}
