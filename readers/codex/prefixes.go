package codex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// prefix is the beginning of commands that the user allowed for good.
type prefix []string

// shellMeta are what makes more of a command than its words.
const shellMeta = "&|;<>()$`\n\"'\\"

// is says whether the prefix is the whole command, behind the shell that runs it.
func (p prefix) is(command string) bool {
	n := len(p)
	return n >= 3 && shellFlags[p[n-2]] && strings.TrimSpace(p[n-1]) == strings.TrimSpace(command)
}

// starts says whether the words begin with the prefix.
func (p prefix) starts(words []string) bool {
	return len(p) > 0 && len(words) >= len(p) && slices.Equal(words[:len(p)], p)
}

// covers says whether a command, or one of those that it joins, begins with the
// prefix.
func (p prefix) covers(command string) bool {
	if p.is(command) || p.starts(strings.Fields(command)) {
		return true
	}
	return slices.ContainsFunc(simpleCommands(command), p.starts)
}

// mostWords is the length of a command of which the words are looked at: nobody
// grants by reading more.
const mostWords = 4096

// simpleCommands are the words of the commands that a shell's line joins, without
// their quotes. Words of other shell syntax stay as written.
func simpleCommands(line string) (commands [][]string) {
	var words []string
	word, open := "", false
	end := func() {
		if open {
			words = append(words, word)
		}
		word, open = "", false
	}
	line = line[:min(len(line), mostWords)]
	for i := 0; i < len(line); i++ {
		switch b := line[i]; b {
		case '\'', '"':
			n := quotedLength(line[i:])
			word, open = word+unquoted(line[i:i+n]), true
			i += n - 1
		case ' ', '\t', '\r':
			end()
		case '&', '|', ';', '\n', '(', ')':
			end()
			commands, words = append(commands, words), nil
		default:
			word, open = word+string(b), true
		}
	}
	end()
	return append(commands, words)
}

// quotedLength is the length of the quoted text at the start of a line.
func quotedLength(line string) int {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == line[0]:
			return i + 1
		case line[i] == '\\' && line[0] == '"':
			i++
		}
	}
	return len(line)
}

func unquoted(text string) string {
	quote := text[:1]
	text = strings.TrimSuffix(text[1:], quote)
	if quote == `"` {
		text = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`).Replace(text)
	}
	return text
}

// ruled says whether a saved prefix allows the command without a question. Of a
// command of several parts that is not known: each part needs a rule.
func (t *rollout) ruled(command string) bool {
	if command == "" || len(t.prefixes) == 0 {
		return false
	}
	var words []string // of a command that is of one part
	if !strings.ContainsAny(strings.TrimSpace(command), shellMeta) {
		words = strings.Fields(command)
	}
	return slices.ContainsFunc(t.prefixes, func(p prefix) bool { return p.is(command) || p.starts(words) })
}

// worldState takes the prefixes that were saved before, in this session or an
// older one.
func (t *rollout) worldState(r *record) {
	list := r.Get("state", "permissions", "approved_command_prefixes")
	if list == nil || list.Type() != fastjson.TypeArray {
		return
	}
	t.prefixes = t.prefixes[:0]
	for _, v := range list.GetArray() {
		t.prefixes = append(t.prefixes, prefixOf(v))
	}
}

func prefixOf(v *fastjson.Value) prefix {
	var p prefix
	for _, w := range v.GetArray() {
		p = append(p, readers.Text(w))
	}
	return p
}

const (
	prefixSaved = "Approved command prefix saved:"
	ownRules    = "permissions." // begins Codex's word for a part that it wrote of what is permitted
)

// prefixesSaved takes the instructions by which Codex tells the model that the
// user granted a call, and all that begin alike: the surest trace of a grant. A
// hook may say so too, which Codex names as the writer where it names any.
func (t *rollout) prefixesSaved(r *record) {
	content := r.Get("content")
	if content == nil || content.Type() != fastjson.TypeArray {
		return
	}
	kinds := r.GetArray("internal_chat_message_metadata_passthrough", "content_item_kinds")
	for i, part := range content.GetArray() {
		rest, ok := strings.CutPrefix(strings.TrimSpace(readers.Text(part, "text")), prefixSaved)
		if !ok || i < len(kinds) && !strings.HasPrefix(readers.Text(kinds[i]), ownRules) {
			continue
		}
		for line := range strings.Lines(rest) {
			v, err := t.parser.Parse(strings.TrimPrefix(strings.TrimSpace(line), "- "))
			if err != nil || v.Type() != fastjson.TypeArray {
				continue
			}
			p := prefixOf(v)
			t.granted(p)
			t.prefixes = append(t.prefixes, p)
		}
	}
}

// granted notes which call was granted when its prefix was saved.
func (t *rollout) granted(p prefix) {
	info := t.turn.grantedBy(p)
	if info == nil {
		return
	}
	info.consent.saved = true
	if info.script != nil && !info.answered {
		info.script.saved = append(info.script.saved, p)
	}
	t.withdraw(info)
}

// grantedBy is the call of the turn whose prefix was saved. The order of choice:
// a waiting command that the prefix covers, before all the one equal to the prefix,
// then one with a question; the last answered command that the prefix covers; the
// last call with a question, as a script may hide its command.
func (t *turn) grantedBy(p prefix) *call {
	var waits, began, asked *call
	for _, c := range t.open {
		covered := c.ToolKind == tables.ToolCommand && p.covers(c.Command) || c.script.mayRun(p)
		switch child := c.script.covered(p); {
		case covered && !c.answered && !c.consent.saved:
			if waits == nil || p.is(c.Command) || c.escalated && !waits.escalated && !p.is(waits.Command) {
				waits = c
			}
		case child != nil:
			began = child
		case covered:
			began = c
		}
		if c.escalated && (!c.answered || asked == nil || asked.answered) {
			asked = c
		}
	}
	return cmp.Or(waits, began, asked)
}

// mayRun says whether a command in the script's text begins with a prefix, of
// which no call is known yet.
func (s *script) mayRun(p prefix) bool {
	return s != nil && slices.ContainsFunc(s.commands, func(c *scriptCommand) bool {
		return !c.taken && c.literal && p.covers(c.command)
	})
}

// covered is the last command of a script that begins with a prefix; nil for
// none, and for a call that is no script.
func (s *script) covered(p prefix) *call {
	if s == nil {
		return nil
	}
	for i := len(s.children) - 1; i >= 0; i-- {
		if c := s.children[i]; c.ToolKind == tables.ToolCommand && p.covers(c.Command) {
			return c
		}
	}
	return nil
}

// allowed takes the prefix that was saved while the script ran, and by which a
// call of it was granted: one that it begins, or one whose command isn't known.
func (s *script) allowed(c *call) bool {
	i := slices.IndexFunc(s.saved, func(p prefix) bool {
		return c.Command != "" && p.covers(c.Command) || c.Command == "" && c.escalated
	})
	if i < 0 || c.ToolKind != tables.ToolCommand {
		return false
	}
	s.saved = slices.Delete(s.saved, i, i+1)
	return true
}

// handedOn says whether a grant that was noted for a script is that of a call of
// its; false for a call that is no script.
func (s *script) handedOn() bool {
	return s != nil && slices.ContainsFunc(s.children, func(c *call) bool { return c.consent.saved })
}
