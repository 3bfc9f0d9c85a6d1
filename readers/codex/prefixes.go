package codex

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// commandPrefix is the words with which a command begins that the user allowed for
// good, for example "git push".
type commandPrefix []string

// shellMeta holds the shell's special characters. A command with one of them is more
// than a list of words.
const shellMeta = "&|;<>()$`\n\"'\\"

// isWholeLine reports whether the prefix is a whole command line: a shell, a flag like
// -c, and exactly this command.
func (p commandPrefix) isWholeLine(command string) bool {
	n := len(p)
	return n >= 3 && shellFlags[p[n-2]] && strings.TrimSpace(p[n-1]) == strings.TrimSpace(command)
}

// matchesWords reports whether the words begin with the prefix.
func (p commandPrefix) matchesWords(words []string) bool {
	return len(p) > 0 && len(words) >= len(p) && slices.Equal(words[:len(p)], p)
}

// covers reports whether the command begins with the prefix. If a command line joins
// several commands, a match of one command is enough.
func (p commandPrefix) covers(command string) bool {
	if p.isWholeLine(command) || p.matchesWords(strings.Fields(command)) {
		return true
	}
	return slices.ContainsFunc(simpleCommands(command), p.matchesWords)
}

// mostWords is how many bytes of a command are split into words. A user who allows a
// command doesn't read more.
const mostWords = 4096

// simpleCommands splits a shell's line into its commands, and each command into words
// without quotes. Words of other shell syntax stay as written.
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

// quotedLength returns the length of the quoted text at the start of a line.
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

// isAllowedByPrefix reports whether Codex runs the command without a question because
// of a saved prefix. It returns false for a command line of several commands, because
// each of them needs a prefix, unless one prefix is the whole line.
func (t *rollout) isAllowedByPrefix(command string) bool {
	if command == "" || len(t.prefixes) == 0 {
		return false
	}
	var words []string // nil for a command line of several commands
	if !strings.ContainsAny(strings.TrimSpace(command), shellMeta) {
		words = strings.Fields(command)
	}
	return slices.ContainsFunc(t.prefixes, func(p commandPrefix) bool { return p.isWholeLine(command) || p.matchesWords(words) })
}

// setPrefixes sets the list of prefixes saved earlier, in this session or an older one.
func (t *rollout) setPrefixes(r *record) {
	list := r.Get("state", "permissions", "approved_command_prefixes")
	if list == nil || list.Type() != fastjson.TypeArray {
		return
	}
	t.prefixes = t.prefixes[:0]
	for _, v := range list.GetArray() {
		t.prefixes = append(t.prefixes, prefixOf(v))
	}
}

func prefixOf(v *fastjson.Value) commandPrefix { return readers.Texts(v.GetArray()) }

const (
	prefixSaved = "Approved command prefix saved:"
	ownRules    = "permissions." // begins Codex's name for its own text about permissions
)

// handleSavedPrefixes handles the prefixes from the instructions in which Codex tells the
// model that the user saved a prefix. This is the surest trace of a grant, so
// handleSavedPrefixes also records the granted call. A hook may write the same words;
// newer versions then name the hook as the writer.
func (t *rollout) handleSavedPrefixes(r *record) {
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
			t.recordGrant(p)
			t.prefixes = append(t.prefixes, p)
		}
	}
}

// recordGrant records that the user granted the call whose prefix p was saved.
func (t *rollout) recordGrant(p commandPrefix) {
	info := t.turn.callGrantedBy(p)
	if info == nil {
		return
	}
	info.rules.saved = true
	if info.script != nil && !info.answered {
		info.script.saved = append(info.script.saved, p)
	}
	t.voidInferredRefusal(info)
}

// callGrantedBy returns the call of the turn that the user granted by saving the prefix p;
// nil if there is none. The order of choice: a command without output that p covers (if
// there are several, preferably one equal to p, then one that asked to leave the
// sandbox); the last command with an output that p covers; the last call that asked to
// leave the sandbox, because the text of a script may hide its command.
func (t *turn) callGrantedBy(p commandPrefix) *call {
	var waits, began, asked *call
	for _, c := range t.open {
		covered := c.ToolKind == tables.ToolCommand && p.covers(c.Command) || c.script.mayRun(p)
		switch child := c.script.lastCoveredCall(p); {
		case covered && !c.answered && !c.rules.saved:
			if waits == nil || p.isWholeLine(c.Command) || c.escalated && !waits.escalated && !p.isWholeLine(waits.Command) {
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

// mayRun reports whether the script's text has a command that p covers and that is not
// matched to a call yet.
func (s *script) mayRun(p commandPrefix) bool {
	return s != nil && slices.ContainsFunc(s.commands, func(c *scriptCommand) bool {
		return !c.isMatched && c.literal && p.covers(c.command)
	})
}

// lastCoveredCall returns the script's last call of a command that p covers; nil if
// there is none, or if s is nil because the call is no script.
func (s *script) lastCoveredCall(p commandPrefix) *call {
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

// consumeSavedPrefix reports whether a prefix that the user saved while the script ran
// granted the call c. The prefix must cover c's command, unless the command is unknown
// and c asked to leave the sandbox. consumeSavedPrefix then removes the prefix from the
// script's list.
func (s *script) consumeSavedPrefix(c *call) bool {
	i := slices.IndexFunc(s.saved, func(p commandPrefix) bool {
		return c.Command != "" && p.covers(c.Command) || c.Command == "" && c.escalated
	})
	if i < 0 || c.ToolKind != tables.ToolCommand {
		return false
	}
	s.saved = slices.Delete(s.saved, i, i+1)
	return true
}

// hasSavedCall reports whether a grant recorded for a script belongs to one of the script's
// calls. It returns false if s is nil because the call is no script.
func (s *script) hasSavedCall() bool {
	return s != nil && slices.ContainsFunc(s.children, func(c *call) bool { return c.rules.saved })
}
