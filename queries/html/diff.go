package html

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hindsql/internal/pattern"
	"hindsql/internal/words"
)

// diffRows is the limit for shown rows of a diff, longestDiff the limit for parsed
// bytes.
const (
	diffRows    = 300
	longestDiff = 2 << 20
)

// diffRow is a line of a diff. kind is ' ' for both sides, '-' for the old side, '+'
// for the new side, '@' for the head of a hunk or file, '\' for a remark.
type diffRow struct {
	kind     byte
	old, new int // line numbers; 0 if none
	text     string
	spans    []span
	changed  [][2]int // byte ranges that differ from the paired line
}

// Diff returns a unified diff as a table: line numbers, removed and added lines with
// highlighting for the path's language, and marks on changed words. A text that isn't a
// diff is shown as text.
func Diff(unified, path string) template.HTML { return DiffTo(unified, path, diffRows) }

// DiffTo is [Diff] with at most limit rows.
func DiffTo(unified, path string, limit int) template.HTML {
	looked, _ := cut(unified, longestDiff)
	rows, ok := parseDiff(clean(looked), len(looked) < len(unified))
	if !ok {
		return Text(unified)
	}
	rest := strings.Count(unified[len(looked):], "\n")
	if len(rows) > limit {
		rest += len(rows) - limit
		rows = rows[:limit]
	}
	highlightSide(rows, path, '-')
	highlightSide(rows, path, '+')
	markChanges(rows)
	var b strings.Builder
	b.WriteString(`<div class="diff"><table><caption class="unseen">Changes`)
	if path != "" {
		b.WriteString(" of " + escape(path))
	}
	b.WriteString(`</caption><thead class="unseen"><tr><th scope="col">old line</th><th scope="col">new line</th><th scope="col">change</th><th scope="col">text</th></tr></thead><tbody>`)
	for i := range rows {
		rows[i].write(&b)
	}
	b.WriteString("</tbody></table></div>")
	if rest > 0 {
		fmt.Fprintf(&b, `<p class="note more">… %s</p>`, words.Quantity(rest, "more line"))
	}
	return template.HTML(b.String())
}

var hunkHead = pattern.Lazy(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$`)

// parseDiff reads a diff. A cut diff may end anywhere.
func parseDiff(text string, isCut bool) (rows []diffRow, ok bool) {
	var old, new, oldLeft, newLeft int
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if oldLeft == 0 && newLeft == 0 && !strings.HasPrefix(line, `\`) {
			if m := hunkHead.FindStringSubmatch(line); m != nil {
				old, oldLeft, new, newLeft = lineNumber(m[1]), lineCount(m[2]), lineNumber(m[3]), lineCount(m[4])
				rows = append(rows, diffRow{kind: '@', text: line})
			} else if name, isNew := strings.CutPrefix(line, "+++ "); isNew && len(rows) > 0 {
				rows = append(rows, diffRow{kind: '@', text: name}) // head of a further file
			} else if !isDiffHead(line) {
				return nil, false
			}
			continue
		}
		kind := byte(' ')
		if line != "" { // an editor may have removed the space of an empty line
			kind, line = line[0], line[1:]
		}
		row := diffRow{kind: kind, text: line}
		if kind == ' ' || kind == '-' {
			row.old = old
			old, oldLeft = old+1, oldLeft-1
		}
		if kind == ' ' || kind == '+' {
			row.new = new
			new, newLeft = new+1, newLeft-1
		}
		if !strings.ContainsRune(` -+\`, rune(kind)) || oldLeft < 0 || newLeft < 0 {
			return nil, false
		}
		row.text = beginning(row.text, longestLine)
		rows = append(rows, row)
	}
	return rows, len(rows) > 0 && (isCut || oldLeft == 0 && newLeft == 0)
}

// isDiffHead reports whether a line belongs before the hunks of a file.
func isDiffHead(line string) bool {
	for _, head := range []string{"--- ", "+++ ", "diff ", "index ", "Index: ", "====", "new file", "deleted file", "old mode", "new mode", "similarity", "rename ", "Binary "} {
		if strings.HasPrefix(line, head) {
			return true
		}
	}
	return line == ""
}

func lineNumber(s string) int {
	n, _ := strconv.Atoi(s) // the expression allows only digits
	return n
}

func lineCount(s string) int {
	if s == "" {
		return 1
	}
	return lineNumber(s)
}

// highlightSide highlights one side of the diff as one text, to get tokens over several
// lines right. Unchanged lines end up with the look of the new side.
func highlightSide(rows []diffRow, path string, side byte) {
	var of []*diffRow
	var text strings.Builder
	for i := range rows {
		if r := &rows[i]; r.kind == side || r.kind == ' ' {
			of = append(of, r)
			text.WriteString(r.text + "\n")
		}
	}
	if text.Len() > 4*longestCode { // too slow as a whole, and wrong line by line
		path = ""
	}
	line := 0
	for i := range of {
		of[i].spans = nil
	}
	for _, s := range highlight(path, text.String()) {
		for part := range strings.SplitAfterSeq(s.text, "\n") {
			shown, ends := strings.CutSuffix(part, "\n")
			if line < len(of) && shown != "" {
				of[line].spans = append(of[line].spans, span{s.class, shown})
			}
			if ends {
				line++
			}
		}
	}
}

var diffKinds = map[byte]struct{ class, sign, word string }{
	'-': {"del", "−", "removed"}, '+': {"add", "+", "added"}, ' ': {"same", "", ""}, '\\': {"remark", "", ""},
}

func (r *diffRow) write(b *strings.Builder) {
	if r.kind == '@' {
		b.WriteString(`<tr class="hunk"><td colspan="4">` + template.HTMLEscapeString(r.text) + "</td></tr>\n")
		return
	}
	k := diffKinds[r.kind]
	b.WriteString(`<tr class="` + k.class + `"><td class="at">` + lineText(r.old) + `</td><td class="at">` + lineText(r.new) + `</td><td class="sign">` + k.sign)
	if k.word != "" {
		b.WriteString(`<span class="unseen"> ` + k.word + `</span>`)
	}
	b.WriteString("</td><td><code>")
	r.code(b)
	b.WriteString("</code></td></tr>\n")
}

func lineText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// code writes the line's spans, and marks for the changed parts, which may cross spans.
func (r *diffRow) code(b *strings.Builder) {
	if len(r.spans) == 0 {
		b.WriteString(template.HTMLEscapeString(r.text))
		return
	}
	at, marks := 0, r.changed
	for _, s := range r.spans {
		for s.text != "" {
			for len(marks) > 0 && marks[0][1] <= at {
				marks = marks[1:]
			}
			n, isMarked := len(s.text), false
			if len(marks) > 0 {
				isMarked = marks[0][0] <= at
				if edge := marks[0][1] - at; isMarked {
					n = min(n, edge)
				} else {
					n = min(n, marks[0][0]-at)
				}
			}
			if isMarked {
				b.WriteString("<mark>")
			}
			span{s.class, s.text[:n]}.write(b)
			if isMarked {
				b.WriteString("</mark>")
			}
			s.text, at = s.text[n:], at+n
		}
	}
}

// markChanges finds the changed words between removed and added lines. Equally many
// lines are paired in order; otherwise no words are marked.
func markChanges(rows []diffRow) {
	for i := 0; i < len(rows); {
		removed := countRun(rows[i:], '-')
		added := countRun(rows[i+removed:], '+')
		if removed > 0 && removed == added {
			for k := i; k < i+removed; k++ {
				old, new := &rows[k], &rows[k+removed]
				old.changed, new.changed = changedWords(old.text, new.text)
			}
		}
		i += max(1, removed+added)
	}
}

// countRun counts the rows of a kind at the start.
func countRun(rows []diffRow, kind byte) (n int) {
	for n < len(rows) && rows[n].kind == kind {
		n++
	}
	return n
}

// mostWords is the limit for compared words of a line, because the time grows with the
// square.
const mostWords = 200

// changedWords returns the byte ranges of two lines that differ. The result is empty if
// little is common: then the whole line has changed.
func changedWords(old, new string) (olds, news [][2]int) {
	a, b := wordsOf(old), wordsOf(new)
	if len(a) > mostWords || len(b) > mostWords {
		return nil, nil
	}
	common := make([][]int, len(a)+1) // length of the common part from here on
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				common[i][k] = common[i+1][k+1] + 1
			} else {
				common[i][k] = max(common[i+1][k], common[i][k+1])
			}
		}
	}
	kept, i, k, atOld, atNew := 0, 0, 0, 0, 0
	for i < len(a) || k < len(b) {
		switch {
		case i < len(a) && k < len(b) && a[i] == b[k]:
			if a[i][0] > ' ' {
				kept += len(a[i])
			}
			atOld, atNew, i, k = atOld+len(a[i]), atNew+len(b[k]), i+1, k+1
		case k == len(b) || i < len(a) && common[i+1][k] >= common[i][k+1]:
			olds, atOld, i = extendLast(olds, atOld, len(a[i])), atOld+len(a[i]), i+1
		default:
			news, atNew, k = extendLast(news, atNew, len(b[k])), atNew+len(b[k]), k+1
		}
	}
	if kept*3 < min(len(old), len(new)) {
		return nil, nil
	}
	return olds, news
}

// extendLast adds a range, by extending the last range if adjacent.
func extendLast(parts [][2]int, at, size int) [][2]int {
	if n := len(parts); n > 0 && parts[n-1][1] == at {
		parts[n-1][1] += size
		return parts
	}
	return append(parts, [2]int{at, at + size})
}

// wordsOf splits a line into words, runs of spaces, and single other characters.
func wordsOf(s string) (list []string) {
	class := func(r rune) int {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	for s != "" && len(list) <= mostWords {
		r, n := utf8.DecodeRuneInString(s)
		for of := class(r); of > 0 && n < len(s); {
			next, size := utf8.DecodeRuneInString(s[n:])
			if class(next) != of {
				break
			}
			n += size
		}
		list, s = append(list, s[:n]), s[n:]
	}
	return list
}
