package main

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// sentence is a sentence of nine words or more.
type sentence struct {
	file        string // slash-separated
	first, last int    // its lines, from 1
	text        string // in one line; code in backquotes
}

// pointing are the words that stand in the place of a name.
var pointing = strings.Fields(`
	what that those who whose whom which such where so there
	it its they them one ones other others else
	none nobody nothing`)

var (
	word  = regexp.MustCompile(`[A-Za-z][A-Za-z'’-]*`)
	code  = regexp.MustCompile("`[^`]*`" + `|\[[^\]]*\]\([^)]*\)`)
	stop  = regexp.MustCompile("[.!?;:]\\s+[A-Z`\\[]|\n[ \t]*\n")
	space = regexp.MustCompile(`\s+`)
)

// words are the words of a text. Code and links are a word each.
func words(text string) []string {
	return word.FindAllString(strings.ToLower(code.ReplaceAllString(text, "code")), -1)
}

// share is the share of pointing words, from 0 to 1.
func (s sentence) share() float64 {
	all := words(s.text)
	pointed := 0
	for _, w := range all {
		if slices.Contains(pointing, w) {
			pointed++
		}
	}
	return float64(pointed) / float64(len(all))
}

func (s sentence) folder() string { return path.Dir(s.file) }

// passage is a text whose lines are lines of a file, from first on.
type passage struct {
	first int
	text  string
}

// sentences are the sentences of a passage with nine words or more.
func (p passage) sentences(file string) (list []sentence) {
	line := p.first
	add := func(text string) {
		begin := line + strings.Count(text[:len(text)-len(strings.TrimLeft(text, " \t\n"))], "\n")
		end := line + strings.Count(strings.TrimRight(text, " \t\n"), "\n")
		line += strings.Count(text, "\n")
		if s := strings.TrimSpace(space.ReplaceAllString(text, " ")); len(words(s)) >= 9 {
			list = append(list, sentence{file, begin, end, s})
		}
	}
	rest := p.text
	for {
		at := stop.FindStringIndex(rest)
		if at == nil {
			add(rest)
			return list
		}
		end := at[1]
		if rest[end-1] != '\n' {
			end-- // the next sentence's first letter
		}
		add(rest[:end])
		rest = rest[end:]
	}
}
