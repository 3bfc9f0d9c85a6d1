package readertest

import (
	"bytes"
	"fmt"

	"hindsql/internal/whole"
	"hindsql/tables"
)

func cutRules() []rule {
	return []rule{{
		name: "cut anywhere",
		why: "a log is read while it is being written: cut after any byte, it gives no panic, one problem more at most, " +
			"and, if a line is a record, the messages, calls, results and prompts of the whole lines before the cut, in the same order; " +
			"only the last message of them may still change, as a reader may have to see what follows it",
		shapes: files,
		check:  cutAnywhere,
	}}
}

// everyByte is the largest log in bytes that is cut after each byte. The work grows
// with the square of the size. Larger logs are cut at some places of some lines. Each
// reader has dozens of smaller logs.
const everyByte = 6 << 10

// fact is the part of an event that must stay the same when more lines follow.
type fact struct {
	session, id, text string
	line              int64
}

// state is what the reader makes of the part of a log before a cut.
type state struct {
	facts    []fact
	problems int
}

func (l *log) stateOf(data []byte) (state, error) {
	events, _ := l.readEvents(bytes.NewReader(data))
	return state{factsOf(events), problemsIn(events)}, panicOf(events)
}

// finalFacts returns the facts that later lines must not change: all except those of the
// last message.
func (s state) finalFacts() []fact {
	n := len(s.facts)
	for n > 0 && s.facts[n-1].line != 0 && s.facts[n-1].line == s.facts[len(s.facts)-1].line {
		n--
	}
	return s.facts[:n]
}

func factsOf(events []tables.Event) []fact {
	var facts []fact
	line := int64(0) // line of the message that results belong to
	eachWithSession(events, func(session string, e tables.Event) {
		switch e := e.(type) {
		case *tables.Message:
			line = e.Line
			facts = append(facts, fact{session, e.UUID, e.Role + ": " + e.Text, e.Line})
		case *tables.ToolCall:
			facts = append(facts, fact{session, e.ToolUseID, e.Input, e.Line})
		case *tables.ToolResult:
			facts = append(facts, fact{session, e.ToolUseID, e.Output, line})
		case *tables.Prompt:
			facts = append(facts, fact{e.SessionID, "", e.Text, 0})
		}
	})
	return facts
}

func cutAnywhere(l *log) error {
	if l.shape == Document {
		return l.cutDocument()
	}
	lines := physicalLines(l.data)
	start := 0
	chosen := map[int]bool{}
	for _, i := range spread(len(lines), l.linesToCut()) {
		chosen[i] = true
	}
	for i, line := range lines {
		if chosen[i] {
			if err := l.cutLine(start, start+len(line)); err != nil {
				return err
			}
		}
		start += len(line)
	}
	return nil
}

func (l *log) linesToCut() int {
	if len(l.data) <= everyByte {
		return whole.Or(len(l.data), 20)
	}
	return whole.Or(100, 20)
}

// cutLine tries cuts in the line between two offsets.
func (l *log) cutLine(from, to int) error {
	before, err := l.stateOf(l.data[:from])
	if err != nil {
		return err
	}
	complete, err := l.stateOf(l.data[:to])
	if err != nil {
		return err
	}
	allowed := max(before.problems+1, complete.problems)
	for _, n := range l.cutOffsets(from, to) {
		got, err := l.stateOf(l.data[:n])
		switch {
		case err != nil:
			return fmt.Errorf("cut after byte %d: %w", n, err)
		case got.problems > allowed:
			return fmt.Errorf("cut after byte %d: %d problems, want %d at most", n, got.problems, allowed)
		}
		if lost := firstLost(before.finalFacts(), got.facts); lost != nil && l.shape == Lines {
			return fmt.Errorf("cut after byte %d: an earlier line's event is gone or changed: %.300q", n, fmt.Sprint(*lost))
		}
	}
	return nil
}

// cutOffsets returns the offsets at which a line is cut: all offsets, or some of them
// and the ends.
func (l *log) cutOffsets(from, to int) []int {
	most := whole.Or(to-from, min(to-from, 10))
	if len(l.data) > everyByte {
		most = min(most, 10)
	}
	offsets := []int{from + 1, to - 1, to}
	if most == to-from {
		offsets = nil
	}
	for _, i := range spread(to-from, most) {
		offsets = append(offsets, from+1+i)
	}
	return offsets
}

// firstLost returns the first fact in want that got doesn't have at the same index; nil
// if there is none.
func firstLost(want, got []fact) *fact {
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return &want[i]
		}
	}
	return nil
}

func (l *log) cutDocument() error {
	most := whole.Or(len(l.data), 1000)
	if len(l.data) > everyByte {
		most = 1000
	}
	for _, n := range spread(len(l.data), most) {
		got, err := l.stateOf(l.data[:n])
		if err != nil {
			return fmt.Errorf("cut after byte %d: %w", n, err)
		}
		if got.problems > 1 {
			return fmt.Errorf("cut after byte %d: %d problems, want 1 at most", n, got.problems)
		}
	}
	return nil
}
