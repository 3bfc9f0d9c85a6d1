package redact

import (
	"iter"
	"slices"
	"strings"
	"sync"
)

// plausible maps a letter to the letters that often follow in English words and in
// names of programs. 93 of 100 letter pairs in such words are plausible, but only 48 of
// 100 in random letters.
var plausible = pairs(map[byte]string{
	'a': "abcdefgiklmnprstuvxy", 'b': "abceilorsu", 'c': "abcdefghiklmnoprstuv", 'd': "abcdefilmoprstuw",
	'e': "abcdefgilmnopqrstvwxy", 'f': "acdefilmoprstu", 'g': "acehilnorstu", 'h': "aeiort", 'i': "abcdefglmnoprstvxz",
	'k': "eis", 'l': "acdefgiloprstuy", 'm': "abdeilmopstu", 'n': "acdefgiklmnopstuv", 'o': "abcdfgiklmnoprstuvw",
	'p': "acdehilmoprstu", 'q': "u", 'r': "abcdefgiklmnoprstuvy", 's': "abcdeghiklmnopqrstuwy", 't': "abcdefhilmoprstuxy",
	'u': "abcdefgilmnprst", 'v': "acdefilmpst", 'w': "aeinors", 'x': "acefipstvx", 'y': "mnps", 'z': "e",
})

func pairs(next map[byte]string) (set [26]uint32) {
	for first, all := range next {
		for _, second := range all {
			set[first-'a'] |= 1 << (second - 'a')
		}
	}
	return set
}

// shape counts features that distinguish words from random letters and digits.
type shape struct {
	letters, digits, others int
	turns                   int // changes from a digit to a letter, or back
	pairs, likely           int // pairs of letters, and pairs that are plausible in words
	upper                   int
	notHex                  int
	kinds                   int // different bytes
}

func shapeOf(s string) (n shape) {
	examine(nil, s)
	var seen [256]bool
	before := byte(0)
	for i := range len(s) {
		c := lower(s[i])
		if !seen[s[i]] {
			seen[s[i]] = true
			n.kinds++
		}
		isLetter, isDigit := 'a' <= c && c <= 'z', isDigit(c)
		wasLetter, wasDigit := 'a' <= before && before <= 'z', '0' <= before && before <= '9'
		switch {
		case isLetter:
			n.letters++
			if c > 'f' {
				n.notHex++
			}
			if c != s[i] {
				n.upper++
			}
		case isDigit:
			n.digits++
		}
		if isLetter && wasDigit || isDigit && wasLetter {
			n.turns++
		}
		if isLetter && wasLetter {
			n.pairs++
			if plausible[before-'a']&(1<<(c-'a')) != 0 {
				n.likely++
			}
		}
		before = c
	}
	n.others = len(s) - n.letters - n.digits
	return n
}

// isRandom reports whether a value looks random like a key. A word, name, number, path,
// date or row identifier doesn't look random.
func isRandom(s string, least int) bool {
	if len(s) < least || isUUID(s) || isPlaceholder(s) || isPlace(s) {
		return false
	}
	n := shapeOf(s)
	if n.letters == 0 || n.kinds < 8 || n.others*3 > len(s) {
		return false
	}
	if n.notHex == 0 {
		return n.digits >= 3 && n.letters >= 3 && len(s)-n.others >= 16
	}
	words := float64(n.likely) / float64(max(n.pairs, 1))
	switch {
	case n.turns >= 5:
		return words < 0.9
	case n.turns >= 2:
		return words < 0.78 || n.pairs < 5
	case n.upper > 0 && n.upper < n.letters && n.pairs >= 10:
		return words < 0.62
	}
	return n.pairs >= 16 && words < 0.55
}

var uuid = lazy(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func isUUID(s string) bool {
	return len(s) >= 36 && strings.Count(s, "-") >= 4 && uuid().MatchString(s)
}

// place matches paths and addresses, which aren't secret by themselves.
var place = lazy(`^(?:[.~]{0,2}/(?:[\w.@-]+(?:/|$))|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*://|\.{1,2}/|~/)|^[\w@-]+(?:/[\w.@-]+)*/[\w.-]+\.[a-z]{1,5}$|^[\w-]+\.(?:go|py|js|ts|tsx|json|ya?ml|toml|md|txt|pem|key|crt|html|css|com|org|net|io|dev)$`)

func isPlace(s string) bool { return strings.ContainsAny(s, "/.:") && place().MatchString(s) }

// holders are words in placeholders.
var holders = sync.OnceValue(func() *words {
	return wordsOf("${", "{{", "#{", "your", "example", "placeholder", "changeme", "change_me", "change-me", "replace", "redacted", "xxxx", "****", "....", "…", "•••",
		"insert", "dummy", "-here", "_here", "1234567", "0123456", "abcdefg", "987654", "deadbeef", "cafebabe", "a1b2c3d4", "process.env", "os.environ", "getenv", "secrets.")
})

// isPlaceholder reports whether a value stands for a secret that the text doesn't
// contain: <your-token>, $TOKEN, xxxx, {{ secret }}.
func isPlaceholder(s string) bool {
	if s == "" || strings.IndexByte("$<{[*%@", s[0]) >= 0 && !strings.HasPrefix(s, "$2") || strings.Contains(s, "[redacted:") {
		return true
	}
	// A password drawn by chance may have signs of a template, too: isDrawn doesn't ask.
	isIn := func(sign string) bool { return strings.Contains(s, sign) }
	return slices.ContainsFunc([]string{"<", "$(", "%s", "%v"}, isIn) || shapeOf(s).kinds <= 3 || holders().any(s)
}

// fillers matches words that often occur in passwords of examples and tests.
const fillers = `passwords?|passwd|passphrase|pass|pwd|secrets?|tokens?|tests?|testing|admin|root|users?|username|my|the|an?|new|old|current|wrong|invalid|valid|correct(?:ed)?_?|incorrect|strong|weak|super|secure|api|keys?|auth|access|some|any|default|demo|dev|prod|staging|local|foo|bar|baz|qux|abc|xyz|hello|world|fake|mock|stub|string|value|text|hash(?:ed)?|plain|encrypted|plaintext|name|login|bearer|basic|value|required|optional|hidden|client|server|db|database|postgres|mysql|redis|mongo|guest|rabbit|minio|bad|good|no|not|is|of|in|for|with|empty|missing|null|nil|none|undefined|true|false|sha\d*|md5|base64|hex|bcrypt|argon2(?:id)?|scram|pbkdf2|oauth2?|jwt|only|long|short|very|p[a@4]?[s$5]{0,2}w[o0]rd|letmein|qwerty`

// fillersBy has the fillers by their first letter.
var fillersBy = sync.OnceValue(func() (by [26]*pattern) {
	for c := range by {
		words := slices.DeleteFunc(strings.Split(fillers, "|"), func(w string) bool { return w[0] != 'a'+byte(c) })
		by[c] = lazy(`^(?i:` + strings.Join(append(words, `\z.`), "|") + `)`)()
	}
	return by
})

// isExample reports whether a password consists only of words from examples, of signs,
// and of up to four digits at the end.
func isExample(s string) bool {
	s = strings.Map(func(c rune) rune {
		if c < 0x80 && isAlnum(byte(c)) {
			return c
		}
		return -1
	}, s)
	others := 0
	for s != "" && others <= 2 {
		n := 0
		if c := lower(s[0]); c >= 'a' {
			n = len(fillersBy()[c-'a'].FindString(s[:min(len(s), 16)]))
		} else if len(s) < 5 && run(s, isDigit, 4) == len(s) {
			break
		}
		if n == 0 {
			n, others = 1, others+1
		}
		s = s[n:]
	}
	return others <= 2
}

// code matches expressions, types and variable names.
var code = lazy(`[()\[\]{}]|=>|->|::|^&|^!|^(?:null|nil|none|None|true|false|True|False|undefined|this|self)\b|^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$`)

// reference matches a whole value that stands for another: $NAME, ${NAME}, <name>,
// %(name)s.
var reference = lazy(`^(?:[$%]?[<{(\[].*[>})\]]s?|%\w+%|\$[A-Za-z_]\w*)$`)

// call matches the beginning of a call or an index, and the name if it has capitals or
// digits.
var call = lazy(`^(?:(?:[A-Z]\.)?[a-z_]{2,}[.(\[{]|([A-Za-z_]\w*(?:\.\w+)*)[(\[{])`)

// The largest share of letters in words, of values that look drawn by chance: of bare
// values, which may be code, of quoted values and of passwords in URLs. Of 200 random
// passwords of 14 letters, digits and signs, three bare ones have a larger share.
const bare, quoted, inURL = 0.6, 0.8, 0.95

// isDrawn reports whether a value with signs of code or of placeholders looks drawn by
// chance: few of its letters are in words.
func isDrawn(s string, most float64) bool {
	if len(s) < 8 || len(s) > 200 {
		return false
	}
	n := shapeOf(s)
	switch {
	case n.letters < 3 || n.kinds < 7 || holders().any(s) || isPlace(s) || strings.ContainsAny(s, " \t\n") || isExample(s):
		return false
	case most < inURL && (s[0] == '+' || !strings.ContainsAny(s, "()[]{}<>$%@*&!^#")):
		return false
	case reference().MatchString(s):
		return s[0] == '$' && isRandom(s[1:], 8)
	case most == bare && (strings.IndexByte("$[{", s[0]) >= 0 || strings.Contains(s, "()") || isCall(s)):
		return false
	}
	return wordShare(s) < most
}

func isCall(s string) bool {
	at := call().FindStringSubmatchIndex(s)
	return at != nil && (at[2] < 0 || wordShare(s[at[2]:at[3]]) > 0.5)
}

// wordShare returns the share of the letters in words of three letters or more. A word
// is a run of letters in which most pairs are plausible. A capital letter begins a word.
func wordShare(s string) float64 {
	letters, inWords, start := 0, 0, 0
	isUp := func(i int) bool { return 'A' <= s[i] && s[i] <= 'Z' }
	isLetter := func(i int) bool { return i < len(s) && 'a' <= lower(s[i]) && lower(s[i]) <= 'z' }
	for i := 0; i <= len(s); i++ {
		if isLetter(i) && (i == start || !isUp(i) || isUp(i-1) && (!isLetter(i+1) || isUp(i+1))) {
			continue
		}
		n := shapeOf(s[start:i])
		letters += n.letters
		if n.letters >= 3 && n.likely*4 >= n.pairs*3 {
			inWords += n.letters
		}
		if start = i; !isLetter(i) {
			start++
		}
	}
	return float64(inWords) / float64(max(letters, 1))
}

// number matches numbers in programs.
var number = lazy(`^0[xX][0-9a-fA-F_]{1,18}$|^[0-9a-f]{16}$`)

// plainName matches words and names such as user_password2.
var plainName = lazy(`^[A-Za-z]+(?:[_ .-][A-Za-z]+)*[_-]?\d{0,2}$`)

// isPassword reports whether a value named as a password is one. If sure, the value is
// quoted or assigned to an environment variable, and may be shorter and plainer.
func isPassword(s string, sure bool) bool {
	if s = strings.TrimRight(s, ".,;:!?"); isDrawn(s, bare) {
		return true
	}
	if len(s) < 6 || len(s) > 200 || isPlaceholder(s) || isExample(s) || isPlace(s) || strings.ContainsAny(s, " \t") {
		return false
	}
	n := shapeOf(s)
	switch {
	case n.letters == 0 || n.letters+n.digits == 0:
		return false
	case code().MatchString(s):
		return isRandom(s, 16) && !strings.ContainsAny(s, "()[]{}")
	case n.digits+n.others == 0:
		return n.upper == 0 && len(s) >= 12 || isRandom(s, 12) || sure && len(s) >= 12 && wordShare(s) < 0.75
	case plainName().MatchString(s):
		return n.digits > 0 && (sure || n.others == 0) || isRandom(s, 12)
	}
	return true
}

// words finds many words in a text in one pass, ignoring the case of ASCII letters. A
// word has at least two bytes.
type words struct {
	// head has, by the lower five bits of a word's first three bytes, one plus the index in
	// list where the words' chain begins; 0 if there are none. The bits are equal for
	// letters of either case. A word of two bytes is in the chains of all third bytes.
	head [triples]uint16
	list []word
}

const triples = 1 << 15

type word struct {
	text   string // in lower case
	number int
	next   uint16 // in the chain, like head
}

func wordsOf(list ...string) *words {
	var w words
	for _, text := range list {
		w.add(text, 0)
	}
	return &w
}

func (w *words) add(text string, number int) {
	text = strings.ToLower(text)
	first := (uint(text[0])&31<<5 | uint(text[1])&31) << 5
	last := first + 31
	if len(text) > 2 {
		first |= uint(text[2]) & 31
		last = first
	}
	for place := first; place <= last; place++ {
		w.list = append(w.list, word{text, number, w.head[place]})
		w.head[place] = uint16(len(w.list))
	}
}

// any reports whether the text contains one of the words.
func (w *words) any(text string) bool {
	for range w.in(text) {
		return true
	}
	return false
}

// in yields the word's number and the place of every occurrence of one of the words.
func (w *words) in(text string) iter.Seq2[int, span] {
	return func(yield func(int, span) bool) {
		if len(text) < 2 {
			return
		}
		place := uint(text[0])&31<<5 | uint(text[1])&31
		for i := 2; i <= len(text); i++ {
			place = place << 5 % triples
			if i < len(text) { // a word of two bytes may end the text
				place |= uint(text[i]) & 31
			}
			for at := w.head[place]; at != 0; at = w.list[at-1].next {
				if c := &w.list[at-1]; begins(text[i-2:], c.text) && !yield(c.number, span{i - 2, i - 2 + len(c.text)}) {
					return
				}
			}
		}
	}
}

// begins reports whether a text begins with a word.
func begins(text, low string) bool {
	for i := range min(len(text), len(low)) {
		if lower(text[i]) != low[i] {
			return false
		}
	}
	return len(text) >= len(low)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
