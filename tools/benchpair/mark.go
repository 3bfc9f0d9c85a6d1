package main

import (
	"fmt"
	"strings"
	"time"
)

// markedBase is the commit that marks call base. A comparison with another commit leaves
// such marks open.
const markedBase = "aac7496"

// mark is what a row has to hold.
type mark struct {
	text   string // empty if the row has no mark
	limits []limit
}

// limit returns a figure of a row, and the most that it may be. ok is false if one of
// them wasn't measured.
type limit func(r *report, of *result) (figure, most float64, ok bool)

func marked(text string, limits ...limit) mark { return mark{text, limits} }

func cpuMS(most float64) limit {
	return func(_ *report, of *result) (float64, float64, bool) { return of.middle().cpu, most, of.today != nil }
}

func wallMS(most float64) limit {
	return func(_ *report, of *result) (float64, float64, bool) { return of.middle().wall, most, of.today != nil }
}

func memoryMB(most float64) limit {
	return func(_ *report, of *result) (float64, float64, bool) { return of.middle().memory, most, of.today != nil }
}

// ofBase limits the ratio of processor time to that of base.
func ofBase(most float64) limit {
	return func(r *report, of *result) (float64, float64, bool) {
		q, ok := ratio(of.today, of.base, cpu)
		return q, most, ok && r.isBase()
	}
}

// ofBeside limits the ratio of processor time to that of the third program.
func ofBeside(most float64) limit {
	return func(_ *report, of *result) (float64, float64, bool) {
		q, ok := ratio(of.today, of.third, cpu)
		return q, most, ok
	}
}

// ofRow limits processor time by a factor of today's in another row.
func ofRow(factor float64, name string) limit {
	return func(r *report, of *result) (float64, float64, bool) {
		other := r.find(name)
		if other == nil || other.today == nil || of.today == nil {
			return 0, 0, false
		}
		return of.middle().cpu, factor * other.middle().cpu, true
	}
}

// beyondRow limits processor time to so many milliseconds more than today's in another row.
func beyondRow(more float64, name string) limit {
	return func(r *report, of *result) (float64, float64, bool) {
		other := r.find(name)
		if other == nil || other.today == nil || of.today == nil {
			return 0, 0, false
		}
		return of.middle().cpu, more + other.middle().cpu, true
	}
}

// walked limits processor time by base's at 817 files, and by the walk of this row.
func walked(base, walk float64) limit {
	return func(r *report, of *result) (float64, float64, bool) {
		fewer := r.find("nothing-changed-817")
		if fewer == nil || fewer.base == nil || of.third == nil || of.today == nil {
			return 0, 0, false
		}
		return of.middle().cpu, base*medianOf(fewer.base, cpu) + walk*medianOf(of.third, cpu), r.isBase()
	}
}

// verdict says whether a row holds its mark: yes, no with the figures that don't, or –.
func (r *report) verdict(of *result) string {
	open, over := len(of.mark.limits) == 0, []string(nil)
	for _, l := range of.mark.limits {
		switch figure, most, ok := l(r, of); {
		case !ok:
			open = true
		case figure > most:
			over = append(over, amount(figure)+" > "+amount(most))
		}
	}
	switch {
	case over != nil:
		return "no: " + strings.Join(over, ", ")
	case open:
		return "–"
	}
	return "yes"
}

func (r *report) isBase() bool { return strings.HasPrefix(r.base, markedBase) }

func seconds(ms float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", ms/1000), ".0") + " s"
}

// The figures of a usage, in milliseconds and megabytes.
func cpu(u usage) float64    { return milliseconds(u.cpu) }
func wall(u usage) float64   { return milliseconds(u.wall) }
func memory(u usage) float64 { return float64(u.memory) / 1e6 }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
