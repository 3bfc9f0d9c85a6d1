package register

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"hindsql/internal/pattern"
)

// tomlFile edits TOML as text, line by line, because TOML libraries drop a file's
// comments. [Place.check] checks the result.
type tomlFile struct{}

func (tomlFile) values(text []byte) (map[string]any, error) {
	var values map[string]any
	_, err := toml.Decode(string(text), &values)
	if wrong := (toml.ParseError{}); errors.As(err, &wrong) {
		err = fmt.Errorf("line %d: %s", wrong.Position.Line, wrong.Message)
	}
	return values, err
}

var errForm = errors.New("the table is written in a form that isn't changed by others")

func (f tomlFile) set(text []byte, key []string, fields []field) ([]byte, error) {
	lines, newline := linesOf(text)
	from, to := table(lines, key)
	if from < 0 {
		if values, err := f.values(text); err != nil || at(values, key) != nil || at(values, key[:len(key)-1]) != nil && !beside(lines, key) {
			return nil, errForm
		}
		added := append([]string{"[" + strings.Join(key, ".") + "]"}, assignments(fields)...)
		if len(lines) > 0 {
			added = append([]string{""}, added...)
		}
		return joined(append(lines, added...), newline), nil
	}
	if values, err := f.values(text); err != nil || lineOf(at(values, key)) == nil { // the entry starts no program: replace it
		to = subtables(lines, to, key)
		return joined(replace(lines, from+1, to, assignments(fields)), newline), nil //nolint:nilerr // see above
	}
	for _, x := range fields {
		first, end := assignment(lines, from+1, to, x.name)
		switch {
		case first < 0:
			first, end = afterLast(lines, from+1, to), afterLast(lines, from+1, to)
		case !x.ours:
			continue
		}
		lines, to = replace(lines, first, end, assignments([]field{x})), to+1-(end-first)
	}
	return joined(lines, newline), nil
}

func (f tomlFile) remove(text []byte, key []string) ([]byte, error) {
	lines, newline := linesOf(text)
	from, to := table(lines, key)
	if from < 0 {
		return nil, errForm
	}
	to = subtables(lines, to, key)
	if to == len(lines) { // the table is the last: remove the blank lines before it, too
		for from > 0 && strings.TrimSpace(lines[from-1]) == "" {
			from--
		}
	}
	return joined(replace(lines, from, to, nil), newline), nil
}

func linesOf(text []byte) (lines []string, newline string) {
	newline = "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	if len(text) == 0 {
		return nil, newline
	}
	return strings.Split(strings.TrimSuffix(string(text), newline), newline), newline
}

func joined(lines []string, newline string) []byte {
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, newline) + newline)
}

func replace(lines []string, from, to int, by []string) []string {
	return append(append(append([]string{}, lines[:from]...), by...), lines[to:]...)
}

var header = pattern.Lazy(`^\s*\[`)

// table returns the first line of a table, its header, and the line after its last key;
// -1 if the table has no header. Comments and blank lines before the next header belong
// to the next table.
func table(lines []string, key []string) (from, to int) {
	own := regexp.MustCompile(`^\s*\[\s*` + dotted(key) + `\s*\]\s*(#.*)?$`)
	for i, line := range lines {
		if !own.MatchString(line) {
			continue
		}
		to := i + 1
		for to < len(lines) && !header.MatchString(lines[to]) {
			to++
		}
		if to < len(lines) {
			to = afterLast(lines, i+1, to)
		}
		return i, to
	}
	return -1, -1
}

// beside reports whether the file has a header for the parent of the table key, or for
// another table in that parent. If the parent is instead an inline table, or a table of
// dotted keys, TOML doesn't allow another header in it.
func beside(lines []string, key []string) bool {
	other := regexp.MustCompile(`^\s*\[\s*` + dotted(key[:len(key)-1]) + `\s*[.\]]`)
	return slices.ContainsFunc(lines, other.MatchString)
}

// subtables returns the line after the last [key.*] table that directly follows line
// to; to if there is none.
func subtables(lines []string, to int, key []string) int {
	below := regexp.MustCompile(`^\s*\[\s*` + dotted(key) + `\s*\.`)
	for i := to; i < len(lines); i++ {
		switch {
		case below.MatchString(lines[i]):
			for to = i + 1; to < len(lines) && !header.MatchString(lines[to]); {
				to++
			}
			if to < len(lines) {
				to = afterLast(lines, i+1, to)
			}
		case header.MatchString(lines[i]):
			return to
		}
	}
	return to
}

// dotted returns a regular expression for a table's name, with each part plain or in
// quotes.
func dotted(key []string) string {
	var parts []string
	for _, name := range key {
		name = regexp.QuoteMeta(name)
		parts = append(parts, `(?:`+name+`|"`+name+`"|'`+name+`')`)
	}
	return strings.Join(parts, `\s*\.\s*`)
}

// afterLast returns the line after the last one, of from to to, that isn't blank or a
// comment.
func afterLast(lines []string, from, to int) int {
	for to > from {
		if line := strings.TrimSpace(lines[to-1]); line != "" && !strings.HasPrefix(line, "#") {
			break
		}
		to--
	}
	return to
}

// assignment returns the first line of a key and its value, and the line after the
// value's last, as a value may take several lines; -1 if the key is missing.
func assignment(lines []string, from, to int, name string) (int, int) {
	begin := regexp.MustCompile(`^\s*` + dotted([]string{name}) + `\s*=`)
	for i := from; i < to; i++ {
		if !begin.MatchString(lines[i]) {
			continue
		}
		for end := i + 1; end <= to; end++ {
			var v map[string]any
			if _, err := toml.Decode(strings.Join(lines[i:end], "\n"), &v); err == nil {
				return i, end
			}
		}
	}
	return -1, -1
}

// assignments returns the lines of an entry.
func assignments(fields []field) (lines []string) {
	for _, f := range fields {
		lines = append(lines, f.name+" = "+tomlValue(f.value))
	}
	return lines
}

// tomlValue returns a string, or a list of strings, as TOML. TOML strings have the same
// escapes as JSON strings. Only DEL, which JSON doesn't escape, must be escaped.
func tomlValue(value any) string {
	if list, ok := value.([]string); ok {
		var parts []string
		for _, v := range list {
			parts = append(parts, tomlValue(v))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text := string(pack(value))
	return strings.ReplaceAll(text, "\x7f", `\u007F`)
}
