package rowdiff

import "slices"

// Line is a line of a log, or the row of a line.
type Line struct {
	Row uint64 // rowid, if the row is stored
	Key uint64 // equal for equal lines
	At  uint64 // microseconds since 1970; 0 without a time
}

// CountTrimmed returns how many lines a log lost at its beginning, of all the lines that it
// ever had. It had lost some of them before. Lines that went from the middle don't count,
// and neither do lines that came back.
func CountTrimmed(all, now []Line, before int) int {
	same := func(a, b Line) bool { return a.Key == b.Key }
	last := uint64(0)
	for i, line := range all {
		if left := all[i:]; len(left) <= len(now) && slices.EqualFunc(left, now[:len(left)], same) {
			return i
		}
		last = max(last, line.At)
	}
	if len(now) == 0 || now[0].At > last && last > 0 {
		return len(all)
	}
	n := slices.IndexFunc(all, func(line Line) bool { return same(line, now[0]) })
	if n < 0 {
		n = before
	}
	back := slices.IndexFunc(all[:n], func(line Line) bool {
		return slices.ContainsFunc(now, func(other Line) bool { return same(line, other) })
	})
	if back >= 0 {
		return back
	}
	return n
}
