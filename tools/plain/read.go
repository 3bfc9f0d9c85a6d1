package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// left are the folders that hold no prose of ours.
var left = []string{"testdata", "bin", "dist", "node_modules"}

// read reads the sentences of all Go files and Markdown pages below the paths; without
// a path, below the folder.
func read(paths []string) (list []sentence, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, root := range paths {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains(left, d.Name())):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(p) != ".go" && filepath.Ext(p) != ".md":
				return nil
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			passages, err := passagesOf(p, text)
			for _, one := range passages {
				list = append(list, one.sentences(filepath.ToSlash(p))...)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func passagesOf(file string, text []byte) ([]passage, error) {
	if filepath.Ext(file) == ".md" {
		return prose(string(text)), nil
	}
	return comments(file, text)
}

// comments are the comments of a Go file. A comment behind code is a passage of its own.
func comments(name string, text []byte) (list []passage, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		var lines []string
		for _, c := range group.List {
			lines = append(lines, withoutSlashes(c)...)
		}
		list = append(list, passage{set.Position(group.Pos()).Line, strings.Join(lines, "\n")})
	}
	return list, nil
}

// withoutSlashes are the lines of a comment. A directive is an empty line.
func withoutSlashes(c *ast.Comment) []string {
	if text, ok := strings.CutPrefix(c.Text, "//"); ok {
		if directive.MatchString(text) {
			return []string{""}
		}
		return []string{text}
	}
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/"), "\n")
}

var directive = regexp.MustCompile(`^([a-z0-9]+:[a-z0-9]|export |nolint)`)

// item begins a line of Markdown that continues no other.
var item = regexp.MustCompile(`^\s*([-*#>]+|\d+\.)\s+`)

// prose is the text of a Markdown page without code. Items, headings and the cells of
// tables are paragraphs of their own, in their lines.
func prose(page string) (list []passage) {
	var lines []string
	first := 1
	end := func(next int) {
		if len(lines) > 0 {
			list = append(list, passage{first, strings.Join(lines, "\n")})
		}
		lines, first = nil, next
	}
	inCode := false
	for i, line := range strings.Split(page, "\n") {
		begins := item.FindString(line)
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			inCode = !inCode
			end(i + 2)
		case inCode, strings.HasPrefix(line, "    ") && begins == "" && len(lines) == 0, strings.TrimSpace(line) == "":
			end(i + 2)
		case strings.HasPrefix(strings.TrimSpace(line), "|"):
			end(i + 2)
			for _, cell := range strings.Split(line, "|") {
				list = append(list, passage{i + 1, cell})
			}
		default:
			if begins != "" {
				end(i + 1)
			}
			lines = append(lines, strings.TrimPrefix(line, begins))
		}
	}
	end(0)
	return list
}

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// added are the sentences with a line that the commit lacks; files that git doesn't
// track count whole.
func added(list []sentence, commit string) ([]sentence, error) {
	diff, err := exec.Command("git", "diff", "--relative", "--unified=0", "--find-renames", "--no-color", "--no-ext-diff", commit, "--", "*.go", "*.md").Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w", commit, err)
	}
	untracked, err := exec.Command("git", "ls-files", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	whole := strings.Split(string(untracked), "\n")
	lines := map[string]map[int]bool{}
	file := ""
	for line := range bytes.Lines(diff) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "+++ b/"); ok {
			file = name
		}
		if m := hunk.FindStringSubmatch(string(line)); m != nil {
			first, _ := strconv.Atoi(m[1])
			n := 1
			if m[2] != "" {
				n, _ = strconv.Atoi(m[2])
			}
			if lines[file] == nil {
				lines[file] = map[int]bool{}
			}
			for i := range n {
				lines[file][first+i] = true
			}
		}
	}
	return slices.DeleteFunc(list, func(s sentence) bool {
		for i := s.first; i <= s.last; i++ {
			if lines[s.file][i] {
				return false
			}
		}
		return !slices.Contains(whole, s.file)
	}), nil
}
