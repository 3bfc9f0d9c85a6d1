package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hindsql/internal/regular"
)

// config holds a repository's settings about working trees.
type config struct {
	tree      string // core.worktree, as written
	isNotBare bool   // core.bare is false; without the setting, git takes a folder for bare
	hasOwn    bool   // extensions.worktreeConfig: each working tree also has its own config file
}

// readConfig reads the configuration of a repository's main working tree: config, and
// config.worktree if enabled. Git reads these settings only from these files.
func readConfig(dir string) (c config, err error) {
	if err = c.read(filepath.Join(dir, "config")); err == nil && c.hasOwn {
		err = c.read(filepath.Join(dir, "config.worktree"))
	}
	return c, err
}

// workTree returns the configured working tree. A relative path counts from the
// repository's folder.
func (c *config) workTree(dir string) (string, bool) {
	if c.tree == "" {
		return "", false
	}
	return absolute(c.tree, dir), true
}

// read adds the settings of a file. A missing file has no settings.
func (c *config) read(path string) error {
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = settings(text, func(section, key, value string, hasValue bool) {
		switch section + "." + key {
		case "core.worktree":
			c.tree = value
		case "core.bare":
			c.isNotBare = hasValue && !isTrue(value)
		case "extensions.worktreeconfig":
			c.hasOwn = !hasValue || isTrue(value)
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "", "false", "no", "off", "0":
		return false
	}
	return true
}

// settings visits the settings of a configuration in git's syntax. Names of sections
// and keys are in lower case. A subsection follows a dot, unchanged.
func settings(text string, visit func(section, key, value string, hasValue bool)) error {
	s := &scanner{rest: strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")}
	section := ""
	for {
		s.skip(" \t\n")
		switch c := s.peek(); {
		case s.rest == "":
			return nil
		case c == '#' || c == ';':
			s.upTo("\n")
		case c == '[':
			name, ok := s.section()
			if !ok {
				return fmt.Errorf("section %.40q: has no end", s.rest)
			}
			section = name
		case isLetter(c):
			key := strings.ToLower(s.name())
			s.skip(" \t")
			value, hasValue, ok := s.value()
			if !ok {
				return fmt.Errorf("value of %s: isn't in git's syntax", key)
			}
			visit(section, key, value, hasValue)
		default:
			return fmt.Errorf("line %.40q: isn't in git's syntax", s.rest)
		}
	}
}

// scanner reads a text from its beginning.
type scanner struct{ rest string }

func (s *scanner) peek() byte {
	if s.rest == "" {
		return 0
	}
	return s.rest[0]
}

func (s *scanner) next() byte {
	c := s.peek()
	if s.rest != "" {
		s.rest = s.rest[1:]
	}
	return c
}

func (s *scanner) skip(characters string) { s.rest = strings.TrimLeft(s.rest, characters) }

func (s *scanner) upTo(end string) {
	_, rest, found := strings.Cut(s.rest, end)
	s.rest = rest
	if found {
		s.rest = end + rest
	}
}

func (s *scanner) name() string {
	n := 0
	for n < len(s.rest) && (isLetter(s.rest[n]) || s.rest[n] == '-' || s.rest[n] >= '0' && s.rest[n] <= '9') {
		n++
	}
	name := s.rest[:n]
	s.rest = s.rest[n:]
	return name
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// section reads [name], [name.sub] or [name "sub"].
func (s *scanner) section() (string, bool) {
	line, _, _ := strings.Cut(s.rest[1:], "\n")
	end := strings.IndexAny(line, "] \t")
	if end < 0 {
		return "", false
	}
	name := strings.ToLower(line[:end])
	s.rest = s.rest[1+end:]
	s.skip(" \t")
	if s.peek() == '"' {
		s.next()
		name += "."
		for s.peek() != '"' {
			if s.peek() == '\\' {
				s.next()
			}
			c := s.next()
			if c == 0 || c == '\n' {
				return "", false
			}
			name += string([]byte{c})
		}
		s.next()
	}
	return name, s.next() == ']'
}

// value reads the value after a key, up to the end of the line. A key without = has no
// value.
func (s *scanner) value() (value string, hasValue, ok bool) {
	switch s.peek() {
	case 0, '\n':
		return "", false, true
	case '=':
		s.next()
	default:
		return "", false, false
	}
	s.skip(" \t")
	var b strings.Builder
	isQuoted, space := false, ""
	for {
		c := s.next()
		switch {
		case c == 0 || c == '\n':
			return b.String(), true, !isQuoted
		case !isQuoted && (c == ' ' || c == '\t'):
			space += string([]byte{c}) // space at the end doesn't count
			continue
		case !isQuoted && (c == '#' || c == ';'):
			s.upTo("\n")
			continue
		}
		switch c {
		case '"':
			isQuoted = !isQuoted
			b.WriteString(space)
			space = ""
			continue
		case '\\':
			escaped := s.next()
			if escaped == '\n' {
				continue
			}
			at := strings.IndexByte(`"\ntb`, escaped)
			if at < 0 || escaped == 0 {
				return "", true, false
			}
			c = "\"\\\n\t\b"[at]
		}
		b.WriteString(space)
		b.WriteByte(c)
		space = ""
	}
}

// link is what a working tree's .git leads to.
type link struct {
	dir string
	err error
}

// gitFolder returns the target of a working tree's .git: the folder .git, or the folder
// named in the file .git.
func (g *Reader) gitFolder(tree string) (string, error) {
	to, ok := g.links[tree]
	if !ok {
		to.dir, to.err = gitFolder(tree)
		g.links[tree] = to
	}
	return to.dir, to.err
}

func gitFolder(tree string) (string, error) {
	dotGit := filepath.Join(tree, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return resolveLink(dotGit), nil
	}
	return pathIn(dotGit, "gitdir: ", tree)
}

// resolveLink resolves a path whose last part is a symbolic link.
func resolveLink(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// leadsTo reports whether a working tree's .git leads to a folder.
func (g *Reader) leadsTo(tree, dir string) bool {
	to, err := g.gitFolder(tree)
	return err == nil && same(to, dir)
}

// worktreeOf returns the working tree that own, a folder in a repository's worktrees,
// belongs to.
func worktreeOf(own string) (string, error) {
	file := filepath.Join(own, "gitdir")
	path, err := pathIn(file, "", own)
	if err == nil && filepath.Base(path) != ".git" {
		return "", fmt.Errorf("%s: names no .git", file)
	}
	return filepath.Dir(path), err
}

// pathIn returns the path in a file, after a word. A relative path counts from folder
// from: see worktree.useRelativePaths in git-config(1).
func pathIn(file, word, from string) (string, error) {
	text, err := read(file)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), word)
	if !ok || path == "" || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%s: names no folder", file)
	}
	return absolute(path, from), nil
}

// absolute returns a path from git's files, written with slashes, as an absolute path
// of the system.
func absolute(path, from string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	return filepath.Clean(path)
}

// mostBytes is the maximum size of a git file. Real files have a few kilobytes.
const mostBytes = 1 << 20

// read returns a file's text.
func read(path string) (string, error) {
	text, err := regular.Read(path, mostBytes)
	if err != nil && isGone(path) {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return string(text), err
}
