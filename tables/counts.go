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
	// MaxCount is the largest count of tokens, milliseconds or lines. As tokens,
	// 2^40 is a hundred thousand times the largest context; as milliseconds, 34 years.
	// Eight million such counts add up to less than 2^63, so a session's sums can't
	// overflow. JSON and a DOUBLE hold 2^40 exactly.
	MaxCount = 1 << 40
	// MaxCost is the largest cost of a session in US dollars.
	MaxCost = 1e9
	// Exit codes have 32 bits: unsigned on Windows, signed elsewhere.
	minExitCode, maxExitCode = math.MinInt32, math.MaxUint32
	// NotACount marks a recorded count that isn't a whole number or is too large.
	NotACount = math.MinInt64
)

// counted lists columns by table: numbers read from logs, sums of them in sessions, and
// counts in sources and file_kinds, because a pulled machine's file may have any number
// there. Other numbers that hindsql counts or computes itself don't belong here. A
// column read from logs needs a call of checkNumber below, too.
var counted = map[string]string{
	"messages":    "input_tokens output_tokens cache_read_tokens cache_write_tokens cache_write_1h_tokens reasoning_tokens recorded_output_tokens",
	"tool_calls":  "duration_ms waited_ms",
	"compactions": "pre_tokens post_tokens duration_ms",
	"sources":     "messages problems size",
	"file_kinds":  "lines",
	"sessions":    "input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens",
}

// CountColumns returns a table's columns with numbers from 0 to MaxCount, or with sums of
// such numbers.
func CountColumns(table string) []string { return strings.Fields(counted[table]) }

// ValidCountSQL returns the SQL of a column's value as today's readers would load it:
// null for an invalid count. value is the SQL of the value loaded by an older build.
func ValidCountSQL(table, column, value string) string {
	if !slices.Contains(CountColumns(table), column) {
		return value
	}
	most := int64(MaxCount)
	if table == "sessions" {
		most = math.MaxInt64 // a sum
	}
	return fmt.Sprintf("CASE WHEN %[1]s BETWEEN 0 AND %[2]d THEN %[1]s END", value, most)
}

// checkNumber replaces a number outside least to most with null, and adds a problem.
func (f *File) checkNumber(line int64, column string, n *Maybe[int64], least, most int64) {
	if !n.OK || n.Value >= least && n.Value <= most {
		return
	}
	f.reportNumber(line, column, fmt.Sprintf("%d", n.Value), n.Value == NotACount, least, most)
	*n = Maybe[int64]{}
}

// reportNumber adds the problem of a cleared number.
func (f *File) reportNumber(line int64, column, value string, none bool, least, most int64) {
	if none {
		value = "what is there"
	}
	f.problems = append(f.problems, &Problem{Line: line, What: fmt.Sprintf("%s: %s is no number from %d to %d; left out", column, value, least, most)})
}

// checkMessage checks the numbers of a part of a message. This must happen before the
// parts are joined, because joining keeps only the tokens of the part with the largest
// output.
func (f *File) checkMessage(m *Message) {
	f.checkNumber(m.Line, "input_tokens", &m.InputTokens, 0, MaxCount)
	f.checkNumber(m.Line, "output_tokens", &m.OutputTokens, 0, MaxCount)
	f.checkNumber(m.Line, "cache_read_tokens", &m.CacheReadTokens, 0, MaxCount)
	f.checkNumber(m.Line, "cache_write_tokens", &m.CacheWriteTokens, 0, MaxCount)
	f.checkNumber(m.Line, "cache_write_1h_tokens", &m.CacheWrite1h, 0, MaxCount)
	f.checkNumber(m.Line, "reasoning_tokens", &m.ReasoningTokens, 0, MaxCount)
}

// checkNumbering reports whether the Numbering's ordinal is valid.
func (f *File) checkNumbering(e *Numbering) bool {
	n := Some(e.Ordinal)
	f.checkNumber(e.Line, "ordinal", &n, 0, MaxCount)
	return n.OK
}

// checkNumbers checks all numbers of the session once more, because a reader may
// complete events after emitting them.
func (s *session) checkNumbers() {
	f := s.file
	for _, m := range s.messages {
		f.checkMessage(m.Message)
	}
	for _, r := range s.results {
		f.checkNumber(lineOf(r.at), "exit_code", &r.ExitCode, minExitCode, maxExitCode)
		f.checkNumber(lineOf(r.at), "duration_ms", &r.DurationMS, 0, MaxCount)
	}
	for _, d := range s.decisions {
		f.checkNumber(s.lineOfCall(d.ToolUseID), "waited_ms", &d.WaitedMS, 0, MaxCount)
	}
	for _, c := range s.compactions {
		f.checkNumber(lineOf(c.at), "pre_tokens", &c.PreTokens, 0, MaxCount)
		f.checkNumber(lineOf(c.at), "post_tokens", &c.PostTokens, 0, MaxCount)
		f.checkNumber(lineOf(c.at), "duration_ms", &c.DurationMS, 0, MaxCount)
	}
	s.checkSession()
}

func (s *session) checkSession() {
	if c := &s.CostUSD; c.OK && !(c.Value >= 0 && c.Value <= MaxCost) { // also refuses NaN
		s.file.reportNumber(0, "cost_usd", fmt.Sprint(c.Value), false, 0, MaxCost)
		*c = Maybe[float64]{}
	}
	if n := Some(s.ContinuesAt); s.Continues != "" {
		if s.file.checkNumber(0, "undone_from", &n, 0, MaxCount); !n.OK {
			s.ContinuesAt = MaxCount // as far as known, nothing was undone
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
