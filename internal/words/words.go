// Package words formats values for people: amounts, durations, sizes, times, a text as
// one line, its beginning, sentences, lists.
//
// In: a value. Out: its text, the same on a terminal, on a page, in a report, in a
// chart, and in texts for agents. Files and answers for programs have the value itself.
//
// Each kind of value has a single spelling:
//
//	amount    2,817  -1,234.57  0.000412   commas from four digits on, a hyphen as minus;
//	                                       at most two digits behind the point, below 1 three that count
//	quantity  1 row  2,817 rows
//	duration  340 ms  1.5 s  3 min 20 s  2 h 5 min  4 d 3 h
//	size      812 B  34.2 MB               by thousands
//	time      2026-10-12 15:04             in the zone of the given time
//	line      a text with single blanks for blanks and line ends
//	cut       at most a number of characters, the last of them …
//	sentence  A great letter first, a full stop last.
//	list      a, b and c
package words

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Amount formats a number given in decimal digits: 1234.5678 becomes 1,234.57. Zeros
// after the point stay. Numbers with an exponent, and texts without a number, stay
// unchanged.
func Amount(text string) string {
	sign, rest := "", text
	if strings.HasPrefix(rest, "-") {
		sign, rest = "-", rest[1:]
	}
	if strings.Trim(rest, "0123456789.") != "" || strings.Count(rest, ".") > 1 {
		return text
	}
	whole, fraction, isBroken := strings.Cut(rest, ".")
	if most := decimals(whole, fraction); len(fraction) > most {
		exact, ok := new(big.Rat).SetString(rest)
		if !ok {
			return text
		}
		whole, fraction, isBroken = strings.Cut(exact.FloatString(most), ".")
	}
	whole = sign + thousands(whole)
	if isBroken {
		whole += "." + fraction
	}
	return whole
}

// Digits is [Amount] with all digits after the point, needed to tell the marks of an
// axis apart.
func Digits(text string) string {
	whole, fraction, isBroken := strings.Cut(text, ".")
	if isBroken {
		fraction = "." + fraction
	}
	return Amount(whole) + fraction
}

// decimals returns the number of digits after the point for people.
func decimals(whole, fraction string) int {
	const most = 2
	if strings.Trim(whole, "0") != "" || strings.Trim(fraction, "0") == "" {
		return most
	}
	return most + 1 + len(fraction) - len(strings.TrimLeft(fraction, "0"))
}

// thousands inserts commas into digits.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Int formats a whole number: 12,345.
func Int[N int | int64](n N) string { return Amount(strconv.FormatInt(int64(n), 10)) }

// Number formats a number: 1,234.57.
func Number(f float64) string {
	if math.IsNaN(f) || math.Abs(f) >= 1e15 || f != 0 && math.Abs(f) < 1e-6 {
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	return Amount(strconv.FormatFloat(f, 'f', -1, 64))
}

// Quantity formats a number of things, named in the singular: 1 row, 12,345 rows.
func Quantity[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Int(n) + " " + noun + "s"
}

// Dollars formats an amount of money: $1,234.50.
func Dollars(f float64) string { return "$" + Digits(strconv.FormatFloat(f, 'f', 2, 64)) }

// Size formats a number of bytes: 812 B, 34.2 MB.
func Size(bytes int64) string {
	const units = "kMGTP"
	if bytes < 1000 {
		return Int(bytes) + " B"
	}
	f, unit := float64(bytes)/1000, 0
	for f >= 999.95 && unit < len(units)-1 {
		f /= 1000
		unit++
	}
	return Amount(strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")) + " " + units[unit:unit+1] + "B"
}

// Moment formats a time to the minute.
func Moment(at time.Time) string { return at.Format("2006-01-02 15:04") }

// Span formats a period of time.
func Span(from, to time.Time) string {
	switch {
	case from.IsZero():
		return ""
	case to.IsZero() || Moment(from) == Moment(to):
		return Moment(from)
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		return Moment(from) + " to " + to.Format("15:04")
	}
	return Moment(from) + " to " + Moment(to)
}

// Duration formats a duration to the two largest units, and a short one to a
// millisecond or a tenth of a second.
func Duration(d time.Duration) string { return Seconds(d.Seconds()) }

// Seconds formats a duration given in seconds.
func Seconds(seconds float64) string {
	if seconds < 0 {
		return "-" + Seconds(-seconds)
	}
	switch {
	case seconds == 0:
		return "0 s"
	case seconds < 0.9995:
		return strconv.FormatFloat(max(1, math.Round(seconds*1000)), 'f', 0, 64) + " ms"
	case seconds < 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(seconds, 'f', 1, 64), ".0") + " s"
	case seconds > 1e15:
		return strconv.FormatFloat(seconds, 'g', 3, 64) + " s"
	}
	for _, u := range []struct {
		size, less  float64 // seconds of the unit, and of the next smaller unit
		name, below string
	}{{86400, 3600, "d", "h"}, {3600, 60, "h", "min"}, {60, 1, "min", "s"}} {
		n, each := math.Round(seconds/u.less), u.size/u.less // in the smaller unit
		if seconds >= u.size-0.5 {
			s := Amount(strconv.FormatFloat(math.Floor(n/each), 'f', 0, 64)) + " " + u.name
			if rest := math.Mod(n, each); rest > 0 {
				s += " " + strconv.FormatFloat(rest, 'f', 0, 64) + " " + u.below
			}
			return s
		}
	}
	return strconv.FormatFloat(math.Round(seconds), 'f', 0, 64) + " s"
}

// Interval formats DuckDB's text of an interval, with the clock in words: "3 days 2 h 5
// min" for "3 days 02:05:00".
func Interval(text string) string {
	at := strings.LastIndexByte(text, ' ') + 1
	sign, clock := 1.0, text[at:]
	if strings.HasPrefix(clock, "-") {
		sign, clock = -1, clock[1:]
	}
	parts := strings.Split(clock, ":")
	if len(parts) != 3 {
		return text
	}
	seconds := 0.0
	for _, part := range parts {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return text
		}
		seconds = 60*seconds + f
	}
	return text[:at] + Seconds(sign*seconds)
}

// UnitSeconds returns the seconds in a unit of time, given by name in SQL, such as ms,
// s or minutes; 0 for any other name.
func UnitSeconds(name string) float64 {
	switch name {
	case "ms":
		return 1e-3
	case "s", "sec", "seconds":
		return 1
	case "min", "minutes":
		return 60
	case "h", "hours":
		return 3600
	}
	return 0
}

// Room measures which part of a text fits. It returns the length in bytes of the
// longest beginning of text that takes at most limit units; characters are never split.
// This package has Letters and Bytes; terminal and spreadsheet code have measures of
// their own.
type Room func(text string, limit int) (bytes int)

// Letters is the [Room] that counts characters.
func Letters(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	for at := range text {
		if limit--; limit < 0 {
			return at
		}
	}
	return len(text)
}

// Bytes is the [Room] that counts bytes.
func Bytes(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return limit
}

// Cut shortens a text to at most limit characters. The last is … if text was left out.
func Cut(text string, limit int) string { return CutTo(text, limit, Letters) }

// CutTo is [Cut] for any Room. The … counts as 1.
func CutTo(text string, most int, room Room) string {
	if room(text, most) == len(text) {
		return text
	}
	return text[:room(text, most-1)] + "…"
}

// CutCounted shortens a text as room measures, and appends how much was kept: …[60 of
// 2,817 characters].
func CutCounted(text string, most int, room Room) (short string, cut bool) {
	end := room(text, most)
	if end == len(text) {
		return text, false
	}
	kept := utf8.RuneCountInString(text[:end])
	return text[:end] + "…[" + Int(kept) + " of " + Int(kept+utf8.RuneCountInString(text[end:])) + " characters]", true
}

// Line returns a text as one line of at most limit characters. Blanks and line ends
// become single blanks.
func Line(text string, limit int) string {
	if len(text) > 8*limit { // the rest of a long text is cut anyway
		text = strings.ToValidUTF8(text[:8*limit], "")
	}
	return Cut(strings.Join(strings.Fields(text), " "), limit)
}

// NoProject stands for the project of a session that has none.
const NoProject = "(no project)"

// LineEnd stands for a line's end in a value shown on one line.
const LineEnd = "⏎"

// OneLine returns the whole text on one line, with signs for line ends and tabs. Final
// line ends are left out.
func OneLine(text string) string {
	if !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	return strings.NewReplacer("\r\n", LineEnd, "\n", LineEnd, "\r", LineEnd, "\t", "⇥").Replace(strings.TrimRight(text, "\r\n"))
}

// Spaced returns a name of SQL as words.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Capital returns a text with a capital first letter.
func Capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

// Sentence returns a text with a capital first letter, and a full stop unless it
// already ends as a sentence.
func Sentence(text string) string {
	text = Capital(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}

// FirstSentence returns a text's first sentence. A full stop inside a word doesn't end
// a sentence.
func FirstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

// List joins words: a, b and c.
func List(words []string, and string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}

// JoinNonempty joins the parts that aren't empty.
func JoinNonempty(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" }), between)
}
