package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/words"
)

// Unit is the unit of a number. The unit decides the writing of marks. An empty Unit
// means no particular unit.
type Unit string

// The units with their own way of writing.
const (
	Milliseconds Unit = "ms"
	Seconds      Unit = "seconds"
	Minutes      Unit = "minutes"
	Hours        Unit = "hours"
	Bytes        Unit = "bytes"
	Tokens       Unit = "tokens"
	Percent      Unit = "percent"
	Dollars      Unit = "usd"
)

func units() []Unit {
	return []Unit{Milliseconds, Seconds, Minutes, Hours, Bytes, Tokens, Percent, Dollars}
}

func (u Unit) known() bool { return slices.Contains(units(), u) }

func unitNames() string {
	var names []string
	for _, u := range units() {
		names = append(names, string(u))
	}
	return strings.Join(names, ", ")
}

// unitOf returns the unit in a column's name, as in duration_ms, median_seconds,
// all_tokens or percent.
func unitOf(column string) Unit {
	parts := strings.FieldsFunc(strings.ToLower(column), func(r rune) bool { return r == '_' || r == ' ' })
	if len(parts) == 0 {
		return ""
	}
	last := Unit(parts[len(parts)-1])
	for _, other := range []struct{ name, unit Unit }{{"s", Seconds}, {"sec", Seconds}, {"min", Minutes}, {"h", Hours}} {
		if last == other.name && len(parts) > 1 {
			return other.unit
		}
	}
	if last.known() {
		return last
	}
	return ""
}

// time returns the seconds in the unit; 0 if the unit is no unit of time.
func (u Unit) time() float64 { return words.UnitSeconds(string(u)) }

// scale is a larger unit, with its name.
type scale struct {
	from, size float64
	name       string
}

var (
	times = []scale{{86400, 86400, " d"}, {3600, 3600, " h"}, {60, 60, " min"}, {1, 1, " s"}, {0, 1e-3, " ms"}}
	sizes = []scale{{1 << 40, 1 << 40, " TiB"}, {1 << 30, 1 << 30, " GiB"}, {1 << 20, 1 << 20, " MiB"}, {1 << 10, 1 << 10, " KiB"}, {0, 1, " B"}}
	many  = []scale{{1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0, 1, ""}}
)

// Mark formats a number of an axis or an end of a range, shortly and with its unit,
// unless the column's name has the unit: 10k, 1.5 s, 2 KiB, 40 %.
func (u Unit) Mark(f float64) string {
	if f < 0 {
		return "-" + u.Mark(-f)
	}
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || f >= 1e15 || f != 0 && f < 1e-6:
		return strconv.FormatFloat(f, 'g', 4, 64)
	case (u.time() > 0 || u == Bytes) && f == 0:
		return "0"
	case u.time() > 0:
		return scaled(f*u.time(), times)
	case u == Bytes:
		return scaled(f, sizes)
	case u == Percent:
		return digits(f) + " %"
	case u == Dollars:
		return "$" + scaled(f, many)
	}
	return scaled(f, many)
}

func scaled(f float64, scales []scale) string {
	const close = 1 - 1e-9 // so that a computed 59.9999999999 s is a minute
	for _, s := range scales {
		if f >= s.from*close {
			return digits(f/s.size) + s.name
		}
	}
	return digits(f)
}

// digits formats a number with at most four digits, enough for an axis.
func digits(f float64) string {
	if f == 0 {
		return "0"
	}
	power := math.Floor(math.Log10(f)) - 3
	if power < 0 {
		to := math.Pow(10, -power)
		f = math.Round(f*to) / to
	} else {
		f = math.Round(f)
	}
	return words.Digits(strconv.FormatFloat(f, 'f', -1, 64))
}
