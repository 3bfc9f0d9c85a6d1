package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a number in a log may be. A log that says more was damaged, or forged: its
// number becomes null, and a problem names the line and the column.
const (
	// MostCounted is the largest count of tokens, milliseconds or lines. It is a
	// hundred thousand times the largest context there is, and 34 years; eight
	// million of it add up to less than 2^63, so that no sum of a session's
	// overflows; and JSON and a DOUBLE hold it exactly.
	MostCounted = 1 << 40
	// MostCost is the largest cost of a session in US dollars.
	MostCost = 1e9
	// Exit codes are 32 bits: Windows writes them without a sign, others with.
	leastExitCode, mostExitCode = math.MinInt32, math.MaxUint32
	// NotACount stands for a count that the log has, and that is no whole number
	// or too large for one.
	NotACount = math.MinInt64
)

var counted = map[string]string{
	"messages":    "input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens recorded_output_tokens",
	"tool_calls":  "duration_ms waited_ms",
	"compactions": "pre_tokens post_tokens duration_ms",
	"sources":     "messages problems size",
	"file_kinds":  "lines",
	"sessions":    "input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens",
}

// Counted are the columns of a table whose numbers are from 0 to MostCounted, or
// sums of such.
func Counted(table string) []string { return strings.Fields(counted[table]) }

// SoundSQL is the SQL of a column's value as today's readers would have loaded
// it: null for a count that is none. value is the SQL of what an older build did.
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

// sound takes a number away that is none from least to most, and says so.
func (f *File) sound(line int64, column string, n *Maybe[int64], least, most int64) {
	if !n.OK || n.Value >= least && n.Value <= most {
		return
	}
	f.unsound(line, column, fmt.Sprintf("%d", n.Value), n.Value == NotACount, least, most)
	*n = Maybe[int64]{}
}

// unsound makes the problem of a number that was taken away.
func (f *File) unsound(line int64, column, value string, none bool, least, most int64) {
	if none {
		value = "what is there"
	}
	f.problems = append(f.problems, &Problem{Line: line, What: fmt.Sprintf("%s: %s is no number from %d to %d; left out", column, value, least, most)})
}

// soundMessage looks at a message before its parts are joined: of several parts
// the one with the largest output counts.
func (f *File) soundMessage(m *Message) {
	f.sound(m.Line, "input_tokens", &m.InputTokens, 0, MostCounted)
	f.sound(m.Line, "output_tokens", &m.OutputTokens, 0, MostCounted)
	f.sound(m.Line, "cache_read_tokens", &m.CacheReadTokens, 0, MostCounted)
	f.sound(m.Line, "cache_write_tokens", &m.CacheWriteTokens, 0, MostCounted)
	f.sound(m.Line, "reasoning_tokens", &m.ReasoningTokens, 0, MostCounted)
}

// soundNumbering says whether the numbers can be counted on with.
func (f *File) soundNumbering(e *Numbering) bool {
	n := Some(e.Ordinal)
	f.sound(e.Line, "ordinal", &n, 0, MostCounted)
	return n.OK
}

// soundNumbers looks at all numbers of the session once more, as a reader may
// complete what it emitted.
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
	if c := &s.CostUSD; c.OK && !(c.Value >= 0 && c.Value <= MostCost) { // so that NaN is none either
		s.file.unsound(0, "cost_usd", fmt.Sprint(c.Value), false, 0, MostCost)
		*c = Maybe[float64]{}
	}
	if n := Some(s.ContinuesAt); s.Continues != "" {
		if s.file.sound(0, "undone_from", &n, 0, MostCounted); !n.OK {
			s.ContinuesAt = MostCounted // nothing was undone, as far as is known
		}
	}
}

func (s *session) lineOfCall(id string) int64 {
	if c := s.byToolUseID[id]; c != nil {
		return c.Line
	}
	return 0
}

// lineOf is the line of a message; 0 for none.
func lineOf(m *message) int64 {
	if m == nil {
		return 0
	}
	return m.Line
}
