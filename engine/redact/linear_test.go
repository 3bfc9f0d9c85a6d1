package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// mostExamined is how many bytes may be examined for each byte of a text and each rule
// with a keyword in the text.
const mostExamined = 64

// slow are the units whose texts once were the slowest.
var slow = []string{"pass=", "A_TOKEN=", "AccountKey=", "-----BEGIN RSA PRIVATE" + " KEY-----\n", "sk-", "Cookie: a=b; ", "curl -u ", "%41", `"a"+`, "key=0123456789abcdef;"}

// TestExaminedIsLinear: no text of 64 KB of parts of a rule has more bytes examined than
// mostExamined. Quick runs try a few units, whole runs many, always the same. Other
// units are tried with another $HINDSQL_SEED.
func TestExaminedIsLinear(t *testing.T) {
	seed, err := strconv.ParseInt(os.Getenv("HINDSQL_SEED"), 10, 64)
	if err != nil {
		seed = 59
	}
	random := rand.New(rand.NewSource(seed))
	own := map[string]OwnRule{}
	for _, o := range OwnRules() {
		own[o.Name] = o
	}
	r := New()
	var units []string
	for _, rule := range r.rules {
		units = append(units, rule.units(own, random)...)
	}
	slices.Sort(units)
	units = slices.Compact(units)
	random.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	total := 0
	examined = func(expr *regexp.Regexp, text string) { total += read(expr, text) }
	defer func() { examined = nil }()
	for _, unit := range append(slow, units[:whole.Or(400, 1)]...) {
		for kind, text := range hardTexts(unit, 64<<10) {
			total = 0
			r.find(text)
			rules := map[string]bool{}
			for number := range r.words.in(text) {
				rules[r.rules[number].ID] = true
			}
			if most := mostExamined * len(text) * (len(rules) + 1); total > most {
				t.Errorf("seed %d: %q, %s: %d bytes examined for each byte and rule, of %d rules", seed, unit, kind, total/len(text)/(len(rules)+1), len(rules))
			}
		}
	}
}

// TestLongNameIsLinear: a long name before many values isn't searched with each value.
func TestLongNameIsLinear(t *testing.T) {
	text := `{"name":"` + strings.Repeat("token: x ", 2000) + `"` + strings.Repeat(`,"value":"a"`, 2000) + "}"
	total := 0
	examined = func(expr *regexp.Regexp, text string) { total += read(expr, text) }
	defer func() { examined = nil }()
	New().json(text)
	if total > mostExamined*len(text) {
		t.Errorf("%d bytes examined for each byte", total/len(text))
	}
}

// read returns how many bytes of a text an expression reads.
func read(expr *regexp.Regexp, text string) int {
	if expr == nil || !strings.HasPrefix(expr.String(), "^") {
		return len(text)
	}
	rest := strings.NewReader(text)
	expr.FindReaderIndex(rest)
	return len(text) - rest.Len()
}

// units returns the rule's keywords, its fixed parts, and each prefix of a sample.
func (r *rule) units(own map[string]OwnRule, random *rand.Rand) []string {
	seen := map[string]bool{}
	var list []string
	add := func(s string) {
		if s != "" && !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	for _, k := range r.Keywords {
		add(k)
		add(strings.ToUpper(k))
	}
	sample := ""
	if o, ok := own[r.ID]; ok {
		sample = example.ReplaceAllStringFunc(strings.NewReplacer("«", "", "»", "").Replace(o.Finds), func(part string) string {
			n, _ := strconv.Atoi(example.FindStringSubmatch(part)[1])
			return letters(n, random)
		})
	}
	if r.locate == nil {
		tree, err := syntax.Parse(r.Regex, syntax.Perl)
		if err != nil {
			panic(err)
		}
		fixed(tree, add)
		if sample == "" {
			var b strings.Builder
			match(tree, random, &b)
			sample = b.String()
		}
	}
	for i := 1; i <= len(sample); i++ {
		add(sample[:i])
	}
	return list
}

var example = regexp.MustCompile(`\{(\d+)(?::(\w+))?\}`)

func letters(n int, random *rand.Rand) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[random.Intn(16)]
	}
	return string(b)
}

// fixed adds the literals of a pattern.
func fixed(tree *syntax.Regexp, add func(string)) {
	if tree.Op == syntax.OpLiteral && len(tree.Rune) > 1 {
		add(string(tree.Rune))
	}
	for _, sub := range tree.Sub {
		fixed(sub, add)
	}
}

// match writes a text that the pattern matches, except for its conditions at the edges.
func match(tree *syntax.Regexp, random *rand.Rand, b *strings.Builder) {
	times := func(least, most int) {
		if most < 0 {
			most = least + 8
		}
		for range least + random.Intn(most-least+1) {
			match(tree.Sub[0], random, b)
		}
	}
	switch tree.Op {
	case syntax.OpLiteral:
		b.WriteString(string(tree.Rune))
	case syntax.OpCharClass:
		for range 1000 {
			pair := random.Intn(len(tree.Rune)/2) * 2
			low, high := tree.Rune[pair], tree.Rune[pair+1]
			if c := low + rune(random.Intn(min(int(high-low), 100)+1)); c < 0x7f && c != '\f' {
				b.WriteRune(c)
				return
			}
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(tree.Min, tree.Max)
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range tree.Sub {
			match(sub, random, b)
		}
	case syntax.OpAlternate:
		match(tree.Sub[random.Intn(len(tree.Sub))], random, b)
	}
}

// hardTexts returns texts of a length made of a unit.
func hardTexts(unit string, n int) map[string]string {
	again := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	code := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	percent := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, "%%%02x", s[i])
		}
		return b.String()
	}
	return map[string]string{
		"alone":    again(unit),
		"named":    again("A_TOKEN=" + unit),
		"behind":   ("api_key=" + again(unit))[:n],
		"line":     again(unit + "\n"),
		"code":     code(again(unit))[:n],
		"code2":    code(code(again(unit)))[:n],
		"percent":  percent(again(unit))[:n],
		"percent2": percent(code(again(unit)))[:n],
		"lines":    again(code(again(unit)[:200]) + "\n"),
	}
}
