package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// consoleBlock is an example in a page: a command, and what it prints.
var consoleBlock = regexp.MustCompile("(?s)```console\n\\$ hindsql .*?\n```")

// TestReadme runs every example of README.md on the sample, and compares what
// it prints with the page.
func TestReadme(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "README.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	got := consoleBlock.ReplaceAllStringFunc(string(page), func(block string) string {
		examples++
		command, _, _ := strings.Cut(strings.TrimPrefix(block, "```console\n$ hindsql "), "\n")
		e, stdout, stderr := outside(t, append([]string{"--timezone", "UTC"}, words(t, command)...)...)
		return "```console\n$ hindsql " + command + "\n" + succeed(t, e, stdout, stderr) + "```"
	})
	if examples == 0 {
		t.Fatal("no example found")
	}
	compareGolden(t, path, got)
}

// words splits a command line at spaces, but for those in double quotes.
func words(t *testing.T, command string) []string {
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
