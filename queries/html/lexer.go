package html

import (
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma"
	"github.com/alecthomas/chroma/lexers"
)

// lexerOf returns the lexer for a language's or file's name; nil if none.
func lexerOf(language string) chroma.Lexer {
	name := strings.ToLower(path.Base(strings.ReplaceAll(language, `\`, "/")))
	known := knownLexers()
	if l := known.files[name]; l != nil {
		return l
	}
	for rest := name; ; { // x.d.ts is tried as *.d.ts, then as *.ts
		_, behind, ok := strings.Cut(rest, ".")
		if !ok {
			break
		}
		if l := known.files["*."+behind]; l != nil {
			return l
		}
		rest = behind
	}
	return known.names[name]
}

// lexerIndex finds lexers quickly. The library tries a thousand patterns for each name,
// which takes longer for a page of files than the highlighting.
type lexerIndex struct {
	names map[string]chroma.Lexer // by language name and alias
	files map[string]chroma.Lexer // by file name and *.extension
}

var knownLexers = sync.OnceValue(func() lexerIndex {
	known := lexerIndex{map[string]chroma.Lexer{}, map[string]chroma.Lexer{}}
	add := func(to map[string]chroma.Lexer, name string, l chroma.Lexer) {
		name = strings.ToLower(name)
		if now := to[name]; now == nil || now.Config().Priority < l.Config().Priority {
			to[name] = l
		}
	}
	for _, l := range lexers.Registry.Lexers {
		add(known.names, l.Config().Name, l)
		for _, name := range l.Config().Aliases {
			add(known.names, name, l)
		}
		for _, name := range l.Config().Filenames {
			add(known.files, name, l)
		}
	}
	for pattern, name := range map[string]string{"*.ts": "typescript", "*.h": "c", "*.sql": "sql"} { // other lexers claim these, too
		known.files[pattern] = known.names[name]
	}
	return known
})
