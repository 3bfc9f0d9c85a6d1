package codex

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"hindsql/internal/pattern"
)

// scriptCommand is a command in a script's text.
type scriptCommand struct {
	tool      string // exec_command or shell_command; write_stdin for input to a running command, which is no command
	command   string
	literal   bool // the text holds the whole command as one literal
	asks      bool // the command asks to run outside the sandbox
	isMatched bool // the command is matched to a call
}

// loops matches code that may run more than once. If a script has such code, its text
// doesn't show how many commands the script ran.
var loops = pattern.Lazy(`\b(?:for|while)\s*\(|\bfunction\b|=>|\.(?:map|forEach|flatMap|reduce)\s*\(`)

var (
	commandCall  = pattern.Lazy(`^(exec_command|shell_command|write_stdin)\s*\(`)
	commandField = pattern.Lazy(`^(?:cmd|command|"cmd"|"command"|'cmd'|'command')\s*:\s*`)
)

// findCommands finds the commands that a script runs. It parses JavaScript only as far as
// needed to skip strings and comments.
func findCommands(js string) []*scriptCommand {
	var found []*scriptCommand
	for i := 0; i < len(js); {
		if n := literalLength(js[i:]); n > 0 {
			i += n
			continue
		}
		var m []string
		if (js[i] == 'e' || js[i] == 's' || js[i] == 'w') && (i == 0 || !isWord(js[i-1])) {
			m = commandCall.FindStringSubmatch(js[i:min(len(js), i+64)])
		}
		if m == nil {
			i++
			continue
		}
		i += len(m[0])
		args := js[i : i+closingBracket(js[i:])]
		c := &scriptCommand{tool: m[1], asks: strings.Contains(args, escalate), isMatched: m[1] == "write_stdin"}
		c.command, c.literal = commandArgument(args)
		found = append(found, c)
		i += len(args)
	}
	return found
}

func isWord(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// codeOnly returns a script's text without strings and comments.
func codeOnly(js string) string {
	var out strings.Builder
	for i := 0; i < len(js); {
		if n := literalLength(js[i:]); n > 0 {
			i += n
			continue
		}
		out.WriteByte(js[i])
		i++
	}
	return out.String()
}

// literalLength returns the length of the string or comment at the start of the code; 0 if
// the code starts with neither.
func literalLength(js string) int {
	switch {
	case strings.HasPrefix(js, "//"):
		return lengthTo(js, "\n")
	case strings.HasPrefix(js, "/*"):
		return lengthTo(js, "*/")
	case js != "" && strings.IndexByte("\"'`", js[0]) >= 0:
		return stringLength(js)
	}
	return 0
}

func lengthTo(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// stringLength returns the length of the string literal at the start of the code, with
// quotes.
func stringLength(js string) int {
	for i := 1; i < len(js); i++ {
		switch js[i] {
		case '\\':
			i++
		case js[0]:
			return i + 1
		}
	}
	return len(js)
}

// closingBracket returns the index of the bracket that closes the call. The code begins
// right after the call's opening bracket.
func closingBracket(js string) int {
	depth := 1
	for i := 0; i < len(js); {
		if n := literalLength(js[i:]); n > 0 {
			i += n
			continue
		}
		switch js[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 {
				return i
			}
		}
		i++
	}
	return len(js)
}

// commandArgument returns the command among a call's arguments, if the command is one
// literal.
func commandArgument(args string) (command string, literal bool) {
	for i := 0; i < len(args); {
		if m := commandField.FindString(args[i:min(len(args), i+64)]); m != "" && (i == 0 || !isWord(args[i-1])) {
			rest := args[i+len(m):]
			n := literalLength(rest)
			if n < 2 || strings.HasPrefix(rest, "/") {
				return "", false
			}
			after := strings.TrimLeft(rest[n:], " \t\r\n")
			if after == "" || after[0] != ',' && after[0] != '}' || rest[0] == '`' && strings.Contains(rest[:n], "${") {
				return "", false
			}
			return unescapeJS(rest[1 : n-1]), true
		}
		i += max(1, literalLength(args[i:]))
	}
	return "", false
}

// unescapeJS returns the text of a string literal, given without its quotes.
func unescapeJS(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			i++
			continue
		}
		text, n := decodeEscape(s[i+1:])
		out.WriteString(text)
		i += 1 + n
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

var plainEscapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", 'v': "\v", '0': "\x00", '\n': ""}

// decodeEscape decodes an escape, given without its backslash. It returns the text and the
// escape's length.
func decodeEscape(s string) (string, int) {
	digits, n := "", 0
	switch {
	case s[0] == 'x' && len(s) >= 3:
		digits, n = s[1:3], 3
	case strings.HasPrefix(s, "u{") && strings.Contains(s, "}"):
		n = strings.Index(s, "}") + 1
		digits = s[2 : n-1]
	case s[0] == 'u' && len(s) >= 5:
		digits, n = s[1:5], 5
	}
	if n > 0 {
		if code, err := strconv.ParseUint(digits, 16, 21); err == nil {
			return joinSurrogates(rune(code), s, n)
		}
	}
	if text, ok := plainEscapes[s[0]]; ok {
		return text, 1
	}
	_, size := utf8.DecodeRuneInString(s)
	return s[:size], size
}

// joinSurrogates joins the two halves in which JavaScript writes a rune of more than 16
// bits.
func joinSurrogates(code rune, s string, n int) (string, int) {
	if utf16.IsSurrogate(code) && len(s) >= n+6 && s[n:n+2] == `\u` {
		if low, err := strconv.ParseUint(s[n+2:n+6], 16, 16); err == nil && utf16.DecodeRune(code, rune(low)) != utf8.RuneError {
			return string(utf16.DecodeRune(code, rune(low))), n + 6
		}
	}
	return string(code), n
}
