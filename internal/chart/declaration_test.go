package chart

import (
	"testing"

	"hindsql/internal/result"
)

func TestDeclarations(t *testing.T) {
	for _, text := range []string{
		"bar label=tool value=refused:count", "bar label=agent,tool value=n", "line label=day value=tokens:count unit=tokens",
		"bar value=duration_ms ranges=0,0.5,100", "line label=day value=rate weight=calls", "bar label=project value=calls except=total",
	} {
		d, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if d.String() != text {
			t.Errorf("%s is written back as %s", text, d)
		}
	}
	for text, want := range map[string]string{
		"":                                    `chart: unknown kind ""; the kinds are bar and line`,
		"pie label=a value=b":                 `chart: unknown kind "pie"; the kinds are bar and line`,
		"bar label=a value":                   `chart: "value" is no key=value; a chart is written bar label=COLUMN value=COLUMN:count`,
		"bar label=a value=b value=c":         `chart: value is given twice`,
		"bar label=a value=b color=red":       `chart: unknown key "color"; the keys are label, value, ranges, weight, unit and except`,
		"bar label=a value=b:sum":             `chart: ":sum" behind b; a value's only mark is :count`,
		"bar label=a":                         `chart: no value=COLUMN, the number that is drawn`,
		"bar value=b":                         `chart: no label=COLUMN, what the numbers are of`,
		"bar label=a,,b value=b":              `chart: label=a,,b has an empty name`,
		"line label=a,b value=b":              `chart: a line has one label, its time`,
		"hist value=b":                        `chart: there is no kind hist; write bar value=COLUMN ranges=1,10,100, with the ends of ranges of your own`,
		"bar label=a value=b ranges=1":        `chart: ranges count rows; they go with bar and value=COLUMN, without label, weight and :count`,
		"bar value=b:count ranges=1":          `chart: ranges count rows; they go with bar and value=COLUMN, without label, weight and :count`,
		"line value=b ranges=1":               `chart: ranges count rows; they go with bar and value=COLUMN, without label, weight and :count`,
		"bar value=b ranges=1,x":              `chart: ranges=1,x is no list of at most 40 ascending numbers; write the ends of ranges, such as ranges=1,10,100`,
		"bar value=b ranges=2,1":              `chart: ranges=2,1 is no list of at most 40 ascending numbers; write the ends of ranges, such as ranges=1,10,100`,
		"line label=a value=b:count weight=c": `chart: value=b:count is summed, and weight=c makes a mean; leave one out`,
		"bar label=a value=b unit=stone":      `chart: unknown unit "stone"; the units are ms, seconds, minutes, hours, bytes, tokens, percent, usd`,
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestDeclarationsOfColumns(t *testing.T) {
	columns := result.Columns("Day DATE", "agent VARCHAR", "n BIGINT")
	for text, want := range map[string]string{
		"line label=day value=N":              "",
		"bar label=agent,day value=n":         "",
		"bar value=n ranges=1":                "",
		"bar label=tool value=n":              `q.sql:5: chart: no column "tool"; the result has Day, agent, n`,
		"bar label=day value=agent":           `q.sql:5: chart: value=agent is no number but VARCHAR`,
		"line label=day value=n weight=agent": `q.sql:5: chart: weight=agent is no number but VARCHAR`,
		"line label=n value=n":                `q.sql:5: chart: label=n of a line is no time but BIGINT`,
	} {
		d, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d.Place = "q.sql:5"
		if err := d.Check(columns); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		n    float64
		want string
	}{
		{"", 0, "0"}, {"", 1234, "1,234"}, {"", 12345, "12.35k"}, {"", 1.5e6, "1.5M"}, {"", -20000, "-20k"}, {"", 0.25, "0.25"},
		{Milliseconds, 0, "0"}, {Milliseconds, 100, "100 ms"}, {Milliseconds, 1000, "1 s"}, {Milliseconds, 90000, "1.5 min"},
		{Seconds, 0.5, "500 ms"}, {Minutes, 90, "1.5 h"}, {Hours, 0.25, "15 min"}, {Hours, 48, "2 d"},
		{Bytes, 512, "512 B"}, {Bytes, 1 << 20, "1 MiB"}, {Tokens, 10000, "10k"}, {Percent, 12.5, "12.5 %"}, {Dollars, 2.5, "$2.5"},
		{"", 1e300, "1e+300"},
	} {
		if got := c.unit.Mark(c.n); got != c.want {
			t.Errorf("%g %s is written %s, want %s", c.n, c.unit, got, c.want)
		}
	}
	for name, want := range map[string]Unit{"duration_ms": Milliseconds, "median_seconds": Seconds, "all_tokens": Tokens, "percent": Percent, "": "", "s": "", "calls": "", "elapsed_s": Seconds} {
		if got := unitOf(name); got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
}
