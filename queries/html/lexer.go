package html

import (
	"path"
	"strings"
	"sync"

	"github.com/alecthomas/chroma"
	"github.com/alecthomas/chroma/lexers"
)

// lexerOf finds a lexer by a language's name, or by a file's; nil for none.
func lexerOf(language string) chroma.Lexer {
	name := strings.ToLower(path.Base(strings.ReplaceAll(language, `\`, "/")))
	known := knownLexers()
	if l := known.files[name]; l != nil {
		return l
	}
	for rest := name; ; { // x.d.ts is what *.d.ts is, else what *.ts is
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

// lexerIndex finds lexers at once: the library tries each of a thousand patterns,
// which for a page of files takes longer than to highlight them.
type lexerIndex struct {
	names map[string]chroma.Lexer // languages, and other words for them
	files map[string]chroma.Lexer // names of files, and *.extension
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
	for pattern, name := range map[string]string{"*.ts": "typescript", "*.h": "c", "*.sql": "sql"} { // others claim them, too
		known.files[pattern] = known.names[name]
	}
	return known
})
