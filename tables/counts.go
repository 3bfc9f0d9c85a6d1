package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Limits of numbers in logs. A number beyond its limit comes from a damaged or forged
// log: the column becomes null, and a problem names the line and the column.
const (
	// MostCounted is the largest count of tokens, milliseconds or lines. As tokens,
	// 2^40 is a hundred thousand times the largest context; as milliseconds, 34 years.
	// Eight million such counts add up to less than 2^63, so a session's sums can't
	// overflow. JSON and a DOUBLE hold 2^40 exactly.
	MostCounted = 1 << 40
	// MostCost is the largest cost of a session in US dollars.
	MostCost = 1e9
	// Exit codes have 32 bits: unsigned on Windows, signed elsewhere.
	leastExitCode, mostExitCode = math.MinInt32, math.MaxUint32
	// NotACount marks a recorded count that isn't a whole number or is too large.
	NotACount = math.MinInt64
)

// counted lists columns by table: numbers read from logs, sums of them in sessions, and
// counts in sources and file_kinds, because a pulled machine's file may have any number
// there. Other numbers that hindsql counts or computes itself don't belong here. A
// column read from logs needs a call of sound below, too.
var counted = map[string]string{
	"messages":    "input_tokens output_tokens cache_read_tokens cache_write_tokens cache_write_1h_tokens reasoning_tokens recorded_output_tokens",
	"tool_calls":  "duration_ms waited_ms",
	"compactions": "pre_tokens post_tokens duration_ms",
	"sources":     "messages problems size",
	"file_kinds":  "lines",
	"sessions":    "input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens",
}

// Counted returns a table's columns with numbers from 0 to MostCounted, or with sums of
// such numbers.
func Counted(table string) []string { return strings.Fields(counted[table]) }

// SoundSQL returns the SQL of a column's value as today's readers would load it: null
// for an invalid count. value is the SQL of the value loaded by an older build.
func SoundSQL(table, column, value string) string {
	if !slices.Contains(Counted(table), column) {
		return value
	}
	most := int64(MostCounted)
	if table == "sessions" {
		most = math.MaxInt64 // a sum
	}
	return fmt.Sprintf("CASE WHEN %[1]s BETWEEN 0 AND %[2]d THEN %[1]s END", value, most)
}

// sound replaces a number outside least to most with null, and adds a problem.
func (f *File) sound(line int64, column string, n *Maybe[int64], least, most int64) {
	if !n.OK || n.Value >= least && n.Value <= most {
		return
	}
	f.unsound(line, column, fmt.Sprintf("%d", n.Value), n.Value == NotACount, least, most)
	*n = Maybe[int64]{}
}

// unsound adds the problem of a cleared number.
func (f *File) unsound(line int64, column, value string, none bool, least, most int64) {
	if none {
		value = "what is there"
	}
	f.problems = append(f.problems, &Problem{Line: line, What: fmt.Sprintf("%s: %s is no number from %d to %d; left out", column, value, least, most)})
}

// soundMessage checks the numbers of a part of a message. This must happen before the
// parts are joined, because joining keeps only the tokens of the part with the largest
// output.
func (f *File) soundMessage(m *Message) {
	f.sound(m.Line, "input_tokens", &m.InputTokens, 0, MostCounted)
	f.sound(m.Line, "output_tokens", &m.OutputTokens, 0, MostCounted)
	f.sound(m.Line, "cache_read_tokens", &m.CacheReadTokens, 0, MostCounted)
	f.sound(m.Line, "cache_write_tokens", &m.CacheWriteTokens, 0, MostCounted)
	f.sound(m.Line, "cache_write_1h_tokens", &m.CacheWrite1h, 0, MostCounted)
	f.sound(m.Line, "reasoning_tokens", &m.ReasoningTokens, 0, MostCounted)
}

// soundNumbering reports whether the Numbering's ordinal is valid.
func (f *File) soundNumbering(e *Numbering) bool {
	n := Some(e.Ordinal)
	f.sound(e.Line, "ordinal", &n, 0, MostCounted)
	return n.OK
}

// soundNumbers checks all numbers of the session once more, because a reader may
// complete events after emitting them.
func (s *session) soundNumbers() {
	f := s.file
	for _, m := range s.messages {
		f.soundMessage(m.Message)
	}
	for _, r := range s.results {
		f.sound(lineOf(r.at), "exit_code", &r.ExitCode, leastExitCode, mostExitCode)
		f.sound(lineOf(r.at), "duration_ms", &r.DurationMS, 0, MostCounted)
	}
	for _, d := range s.decisions {
		f.sound(s.lineOfCall(d.ToolUseID), "waited_ms", &d.WaitedMS, 0, MostCounted)
	}
	for _, c := range s.compactions {
		f.sound(lineOf(c.at), "pre_tokens", &c.PreTokens, 0, MostCounted)
		f.sound(lineOf(c.at), "post_tokens", &c.PostTokens, 0, MostCounted)
		f.sound(lineOf(c.at), "duration_ms", &c.DurationMS, 0, MostCounted)
	}
	s.soundSession()
}

func (s *session) soundSession() {
	if c := &s.CostUSD; c.OK && !(c.Value >= 0 && c.Value <= MostCost) { // also refuses NaN
		s.file.unsound(0, "cost_usd", fmt.Sprint(c.Value), false, 0, MostCost)
		*c = Maybe[float64]{}
	}
	if n := Some(s.ContinuesAt); s.Continues != "" {
		if s.file.sound(0, "undone_from", &n, 0, MostCounted); !n.OK {
			s.ContinuesAt = MostCounted // as far as known, nothing was undone
		}
	}
}

func (s *session) lineOfCall(id string) int64 {
	if c := s.byToolUseID[id]; c != nil {
		return c.Line
	}
	return 0
}

// lineOf returns the line of a message; 0 for nil.
func lineOf(m *message) int64 {
	if m == nil {
		return 0
	}
	return m.Line
}
