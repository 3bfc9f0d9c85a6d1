package gemini

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/internal/words"
	"hindsql/readers"
	"hindsql/tables"
)

// sessionFacts holds a file's facts about the whole session. If a fact is written
// several times, the last value is used; of the id, the first.
type sessionFacts struct {
	id, hash, kind, title string
	start                 time.Time
	directories           []string
	scratchpad            string
	result                string // beginning of a subagent's result
}

// addMetadata reads metadata: a document's, a journal's first line, or a $set.
func (f *sessionFacts) addMetadata(v *fastjson.Value) {
	v.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		switch string(key) {
		case "sessionId":
			f.id = cmp.Or(f.id, readers.Text(v))
		case "projectHash":
			f.hash = readers.Text(v)
		case "kind":
			f.kind = readers.Text(v)
		case "summary":
			f.title = readers.Text(v)
		case "startTime":
			f.start = readers.Time(v)
		case "directories":
			f.directories = readers.Texts(v.GetArray())
		case "memoryScratchpad":
			f.scratchpad = readers.JSON(v)
		}
	})
}

var (
	uuid = pattern.Lazy(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	stem = pattern.Lazy(`^session-(\d{4}-\d\d-\d\dT\d\d-\d\d)-(.+)$`)
)

// session returns the session's row.
func (c *chat) session() *tables.Session {
	f := &c.facts
	native := f.id
	if native == "" {
		native = c.idFromPromptLog()
	}
	s := &tables.Session{SessionID: native, Kind: tables.SessionMain, Title: f.title}
	s.Project, s.ProjectKeys = projectOf(c.in, c.at, f.hash, f.directories)
	switch {
	case c.at.parent != "":
		s.SessionID, s.NativeID = c.at.parent+"/"+c.at.stem, native
		s.Kind = tables.SessionSubagent
		if !strings.HasPrefix(c.at.parent, "skill-extraction-") {
			s.ParentSessionID = c.at.parent
		}
	case f.kind == "subagent", c.isDelegated():
		// Before 0.31 a subagent wrote under its parent's id.
		s.SessionID, s.NativeID = native+"/"+c.startMinute(), native
		s.Kind, s.ParentSessionID = tables.SessionSubagent, native
	case native == "":
		s.SessionID = c.at.stem
	case c.isServerSession(native):
		// A server calls every session a2a-server (FORMAT.md §1.3).
		s.SessionID, s.NativeID, s.Origin = native+"@"+c.startMinute(), native, native
		if !c.hasConversation() {
			s.Kind = tables.SessionServer
		}
	}
	if c.isLater {
		// A start's time is unique, and stays the same when the file grows.
		s.SessionID = cmp.Or(s.Origin, s.SessionID) + "@" + f.start.Format(startFormat)
		s.NativeID = native
	}
	if s.Kind == tables.SessionSubagent {
		s.Title = c.subagentTitle()
		f.result = f.title
	}
	s.Extra = f.extraJSON()
	return s
}

// isDelegated reports whether the file begins with the agent's question to a subagent.
func (c *chat) isDelegated() bool {
	for _, e := range c.entries {
		if e.kind == "user" {
			return strings.HasPrefix(e.Text, "Your task is to answer the following question about Gemini CLI")
		}
	}
	return false
}

// startMinute returns when the file was begun, according to its name.
func (c *chat) startMinute() string {
	if m := stem.FindStringSubmatch(c.at.stem); m != nil {
		return m[1]
	}
	return c.at.stem
}

// idFromPromptLog returns the id of a session whose file lost its first line; empty if
// unknown. The file's name holds the beginning of the id, and the prompt log the whole
// id.
func (c *chat) idFromPromptLog() string {
	m := stem.FindStringSubmatch(c.at.stem)
	if m == nil || len(m[2]) != 8 {
		return ""
	}
	log, err := c.in.ReadFile(path.Join(c.at.folder, "logs.json"))
	if err != nil {
		return ""
	}
	return string(regexp.MustCompile(regexp.QuoteMeta(m[2]) + `(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).Find(log))
}

func (f *sessionFacts) extraJSON() string {
	extra := readers.Extra{}
	if len(f.directories) > 0 {
		extra.Set("directories", f.directories)
	}
	extra.Text("summary", f.result)
	if f.scratchpad != "" {
		extra.Set("memory_scratchpad", json.RawMessage(f.scratchpad))
	}
	extra.Text("project_hash", f.hash)
	return readers.Object(extra)
}

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
