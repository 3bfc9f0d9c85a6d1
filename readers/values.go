package readers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/lists"
	"hindsql/tables"
)

// FirstText returns the first non-empty string among the values under the keys, or the
// empty string.
func FirstText(v *fastjson.Value, keys ...string) string {
	for _, k := range keys {
		if s := v.GetStringBytes(k); len(s) > 0 {
			return string(s)
		}
	}
	return ""
}

// Texts returns the strings of a list: for a value that is no string, the empty string.
func Texts(list []*fastjson.Value) []string {
	return lists.Map(list, func(v *fastjson.Value) string { return Text(v) })
}

// Interner keeps one copy of each frequent string. Some columns have the same string in
// every row.
type Interner map[string]string

// Intern returns b as a string. A short string shares its memory with earlier calls.
func (w Interner) Intern(b []byte) string {
	if s, ok := w[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(w) < 1024 && len(s) <= 64 {
		w[s] = s
	}
	return s
}

// Time reads an ISO 8601 string or a number of milliseconds or seconds since 1970. It
// tells seconds by their smaller size. The result is in UTC, and zero for any other
// value.
func Time(v *fastjson.Value) time.Time {
	if v == nil {
		return time.Time{}
	}
	switch v.Type() {
	case fastjson.TypeString:
		return timeOf(v.GetStringBytes())
	case fastjson.TypeNumber:
		ms := v.GetFloat64()
		if ms < 1e11 { // too small for milliseconds after 1973
			ms *= 1000
		}
		if ms < 1000 || ms > 1e14 {
			return time.Time{}
		}
		return time.UnixMilli(int64(ms)).UTC()
	}
	return time.Time{}
}

// timeOf reads an ISO 8601 text. Nearly all agents write 2006-01-02T15:04:05.000Z, which
// is read by its columns, in a third of the time.
func timeOf(text []byte) time.Time {
	if t, ok := fixedTime(text); ok {
		return t
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// fixedTime reads a text like 2006-01-02T15:04:05.000Z. It leaves the 29th of February,
// the 31st of a month, and all other texts to time.Parse.
func fixedTime(b []byte) (t time.Time, ok bool) {
	if len(b) != len("2006-01-02T15:04:05.000Z") || b[4] != '-' || b[7] != '-' || b[10] != 'T' || b[13] != ':' || b[16] != ':' || b[19] != '.' || b[23] != 'Z' {
		return time.Time{}, false
	}
	month, day := decimal(b[5:7]), decimal(b[8:10])
	hour, minute, second := decimal(b[11:13]), decimal(b[14:16]), decimal(b[17:19])
	year, millis := decimal(b[0:4]), decimal(b[20:23])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 30 || day > 28 && month == 2 ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || millis < 0 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, millis*int(time.Millisecond), time.UTC), true
}

// decimal returns the number that digits stand for, or -1.
func decimal(digits []byte) int {
	n := 0
	for _, c := range digits {
		if !isDigit(c) {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// LastMillis is the end of the year 2099 in ms since 1970. [Millis] takes no later time.
const LastMillis = 4102444799999

// Millis converts ms since 1970 to a time in UTC; zero if ms is below 1 or above
// [LastMillis].
func Millis(ms int64) time.Time {
	if ms < 1 || ms > LastMillis {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// MillisBetween is [tables.MillisBetween].
func MillisBetween(from, to time.Time) tables.Maybe[int64] { return tables.MillisBetween(from, to) }

// TriggerOf returns how a compaction was started, by the program's word: manual for the
// user's own, auto for every other word, empty if the word is empty.
func TriggerOf(word string) string {
	if word == "" || word == "manual" {
		return word
	}
	return "auto"
}

// HistoryClear returns the clear that a command in an agent's list of prompts made.
func HistoryClear(p *tables.Prompt, command string) *tables.Clear {
	return &tables.Clear{
		SessionID: p.SessionID, Trigger: tables.ClearByCommand, Command: command, Project: p.Project,
		Timestamp: p.Timestamp, Evidence: tables.EvidenceHistory, Confidence: 1,
	}
}

// Object returns a map of strings, numbers and valid JSON as a JSON object with sorted
// keys. An empty map gives the empty string.
func Object(m map[string]any) string {
	if len(m) == 0 {
		return ""
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// IsCommand reports whether a text is a slash command and not a path.
func IsCommand(text string) bool {
	command, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(command, "/") && !strings.Contains(command[1:], "/")
}

// Hash returns the SHA-256 of a text as hex digits.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Folder returns a working directory as every agent's rows name it. On Windows some
// programs write a small drive letter: c:\x is the same folder as C:\x. Folder makes
// the letter a capital.
func Folder(path string) string {
	if len(path) < 2 || path[1] != ':' || path[0] < 'a' || path[0] > 'z' || len(path) > 2 && path[2] != '\\' && path[2] != '/' {
		return path
	}
	return string(path[0]-'a'+'A') + path[1:]
}

// Image holds the facts that are kept of an image or document.
type Image struct {
	MediaType string `json:"media_type,omitempty"`
	Bytes     int    `json:"bytes"`
}

// ImageOf describes base64 text without keeping the text.
func ImageOf(mediaType string, base64 []byte) Image {
	return Image{MediaType: mediaType, Bytes: len(base64) * 3 / 4}
}

// Set is a set of words.
type Set map[string]bool

// SetOf returns the set of words in a text, separated by spaces and newlines.
func SetOf(words string) Set {
	s := Set{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// WithKeys adds the words in a text to a map, without values.
func WithKeys[V any](words string, m map[string]V) map[string]V {
	for _, w := range strings.Fields(words) {
		var none V
		m[w] = none
	}
	return m
}

// Count returns the whole number under the keys, for an event's count. The result is
// missing if the key is absent or null. A value that isn't a number, or is too large
// for an int64, becomes [tables.NotACount]. The rows turn NotACount, and numbers too
// large to be true, into problems.
func Count(v *fastjson.Value, keys ...string) tables.Maybe[int64] {
	n := v.Get(keys...)
	if n == nil || n.Type() == fastjson.TypeNull {
		return tables.Maybe[int64]{}
	}
	if i := Int(n); i.OK {
		return i
	}
	return tables.Some[int64](tables.NotACount)
}

// CountOf returns n*unit rounded to a whole number, or [tables.NotACount] if the
// product is negative or too large for any count.
func CountOf(n, unit float64) tables.Maybe[int64] {
	if n *= unit; n >= 0 && n <= 2*tables.MaxCount {
		return tables.Some(int64(n + 0.5))
	}
	return tables.Some[int64](tables.NotACount) // NaN too
}

// Extra collects what an agent's logs say and no column holds. The zero Extra has no
// memory: few rows have any. [Object] makes the text of the column.
type Extra map[string]any

// Set sets a value: a string, a number, a list of these, or valid JSON.
func (x *Extra) Set(key string, value any) {
	if *x == nil {
		*x = Extra{}
	}
	(*x)[key] = value
}

// Text sets a text. An empty text is left out.
func (x *Extra) Text(key, text string) {
	if text != "" {
		x.Set(key, text)
	}
}

// Int sets a number. A missing number is left out.
func (x *Extra) Int(key string, n tables.Maybe[int64]) {
	if n.OK {
		x.Set(key, n.Value)
	}
}

// Flag sets true. A false fact is left out.
func (x *Extra) Flag(key string, holds bool) {
	if holds {
		x.Set(key, true)
	}
}

// JSON sets a value of the log as it is. An absent value and null are left out.
func (x *Extra) JSON(key string, v *fastjson.Value) {
	if !IsNull(v) {
		x.Set(key, json.RawMessage(JSON(v)))
	}
}

// Images sets the images of a message or result. An empty list is left out.
func (x *Extra) Images(images []Image) {
	if len(images) > 0 {
		x.Set("images", images)
	}
}
