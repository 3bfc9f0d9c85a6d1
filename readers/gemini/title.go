package gemini

import (
	"encoding/json"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/internal/words"
)

// titleLength is the longest title made from another text, in characters.
const titleLength = 120

var (
	// resultText matches the text in a subagent's result: JSON, of which the log keeps
	// the beginning.
	resultText = pattern.Lazy(`"(?:response|report)"\s*:\s*"((?:[^"\\]|\\.)*)`)
	// delegatedText matches the subject of a delegated prompt.
	delegatedText = pattern.Lazy(`(?s)<(question|objective|task)>(.+?)</(?:question|objective|task)>`)
)

// subagentTitle returns a title for a subagent's session: a line of its result or of
// its task. The field summary is no title: it holds the beginning of the result
// (FORMAT.md §2.6).
func (c *chat) subagentTitle() string {
	if m := resultText.FindStringSubmatch(c.facts.title); m != nil {
		if line := words.Line(unescaped(m[1]), titleLength); line != "" {
			return line
		}
	}
	for _, e := range c.entries {
		if e.kind == "user" && strings.TrimSpace(e.Text) != "" && !strings.HasPrefix(e.Text, "<session_context>") {
			if m := delegatedText.FindStringSubmatch(e.Text); m != nil {
				return words.Line(m[2], titleLength)
			}
			return words.Line(e.Text, titleLength)
		}
	}
	return ""
}

// unescaped returns the text of a JSON string that may end within an escape.
func unescaped(text string) string {
	for _, try := range []string{text, text[:max(0, strings.LastIndexByte(text, '\\'))]} {
		var whole string
		if json.Unmarshal([]byte(`"`+try+`"`), &whole) == nil {
			return whole
		}
	}
	return text
}
