package html

import (
	"html/template"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma"
	"github.com/alecthomas/chroma/lexers"
)

// Code returns highlighted code. language is a name such as "bash", or the name of a
// file. For an empty or unknown language the result is plain text.
func Code(language, text string) template.HTML {
	shown, rest := cut(text, longestCode)
	var b strings.Builder
	b.WriteString(`<pre class="code"><code>`)
	for _, s := range highlight(language, clean(strings.TrimRight(shown, "\r\n"))) {
		s.write(&b)
	}
	b.WriteString("</code></pre>")
	return template.HTML(b.String()) + more(rest)
}

// span is a piece of code with one class of style.css, or none.
type span struct{ class, text string }

func (s span) write(b *strings.Builder) {
	if s.class == "" {
		b.WriteString(template.HTMLEscapeString(s.text))
		return
	}
	b.WriteString(`<span class="` + s.class + `">` + template.HTMLEscapeString(s.text) + "</span>")
}

// longestLexing limits the time for highlighting one text. The rest stays plain.
const longestLexing = 200 * time.Millisecond

// highlight splits a text into spans that together hold the whole text. The lexer is
// a library's: if the lexer panics or stops early, the text or the rest stays plain.
func highlight(language, text string) (spans []span) {
	defer func() {
		if recover() != nil {
			spans = []span{{text: text}}
		}
	}()
	lexer := lexerOf(language)
	if lexer == nil {
		return []span{{text: text}}
	}
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return []span{{text: text}}
	}
	until := time.Now().Add(longestLexing)
	for t := next(); t != chroma.EOF && strings.HasPrefix(text, t.Value) && time.Now().Before(until); t = next() {
		class := classOf(t.Type)
		if n := len(spans); n > 0 && spans[n-1].class == class {
			spans[n-1].text += t.Value
		} else {
			spans = append(spans, span{class, t.Value})
		}
		text = text[len(t.Value):]
	}
	if text != "" {
		spans = append(spans, span{text: text})
	}
	return spans
}

// classOf returns the class of a token. Keywords, types, functions, strings, numbers
// and comments have classes.
func classOf(t chroma.TokenType) string {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException, chroma.NameBuiltin, chroma.NameBuiltinPseudo, chroma.NameAttribute:
		return "t"
	case chroma.KeywordConstant:
		return "n"
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameDecorator, chroma.NameTag:
		return "f"
	case chroma.CommentPreproc, chroma.CommentPreprocFile:
		return "k"
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return "k"
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber):
		return "n"
	}
	return ""
}

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
