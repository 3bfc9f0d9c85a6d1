package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// pair is a run of each program. A nil figures or third is absent.
type pair struct {
	base, today figures
	third       *usage
}

// measure runs both builds alternately. Each second pair begins with today's.
func (b *bench) measure(ctx context.Context, m *measurement) ([]pair, error) {
	pairs := make([]pair, b.pairs)
	for i := range pairs {
		b.say("%s, pair %d of %d", m.name, i+1, b.pairs)
		to := []*figures{&pairs[i].base, &pairs[i].today}
		for k := range b.sides {
			at := (k + i) % 2
			s := b.sides[at]
			if m.needs != "" && !s.files[m.needs] {
				continue
			}
			var err error
			if *to[at], err = m.once(ctx, s); err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
		}
		if m.beside == nil {
			continue
		}
		used, err := m.beside.once(ctx, b)
		switch {
		case err == nil:
			pairs[i].third = &used
		case !errors.Is(err, errAbsent):
			return nil, fmt.Errorf("%s: %w", m.beside.name, err)
		}
	}
	return pairs, nil
}

// result is a row with its figures, one a pair; nil if they are absent.
type result struct {
	row
	name, besideName   string
	base, today, third []usage
	over               []string // parts that don't hold the mark, of a row of many
}

// results returns the rows of a measurement.
func results(m *measurement, pairs []pair) []result {
	var list []result
	for _, r := range m.rows {
		one := result{row: r, name: m.name}
		if m.beside != nil {
			one.besideName = m.beside.name
		}
		if r.each != only {
			one.key, one.over = chosen(r, pairs)
			one.title += ", " + one.key
		}
		for _, p := range pairs {
			if used, ok := p.base[one.key]; ok {
				one.base = append(one.base, used)
			}
			if used, ok := p.today[one.key]; ok {
				one.today = append(one.today, used)
			}
			if p.third != nil {
				one.third = append(one.third, *p.third)
			}
		}
		list = append(list, one)
	}
	return list
}

// chosen returns the part that stands for all, by today's processor time, and the parts
// above 100 ms, dearest first. The middle one is chosen among parts of both builds.
func chosen(r row, pairs []pair) (key string, over []string) {
	parts := map[string][]usage{}
	for _, p := range pairs {
		for name, used := range p.today {
			parts[name] = append(parts[name], used)
		}
	}
	names := slices.SortedFunc(maps.Keys(parts), func(a, b string) int {
		return cmp.Or(cmp.Compare(medianOf(parts[b], cpu), medianOf(parts[a], cpu)), cmp.Compare(a, b))
	})
	if len(names) == 0 {
		return "", nil
	}
	if r.each == typical {
		both := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := pairs[0].base[name]; return !ok })
		if len(both) > 0 {
			names = both
		}
		return names[len(names)/2], nil
	}
	for _, name := range names {
		if ms := medianOf(parts[name], cpu); ms > 100 {
			over = append(over, fmt.Sprintf("%s %.0f", name, ms))
		}
	}
	return names[0], over
}

// medianOf returns the median of a figure.
func medianOf(list []usage, of func(usage) float64) float64 {
	var all []float64
	for _, u := range list {
		all = append(all, of(u))
	}
	return median(all)
}

// ratio returns the median of the ratios of a's figures to b's of the same pair. ok is
// false if one of them is absent, or wasn't measured.
func ratio(a, b []usage, of func(usage) float64) (float64, bool) {
	if len(a) == 0 || len(a) != len(b) {
		return 0, false
	}
	var all []float64
	for i := range a {
		if of(b[i]) == 0 {
			return 0, false
		}
		all = append(all, of(a[i])/of(b[i]))
	}
	return median(all), true
}

// medians are the medians of a row's figures of today, in milliseconds and megabytes.
type medians struct{ cpu, wall, memory float64 }

func (r *result) middle() medians {
	return medians{medianOf(r.today, cpu), medianOf(r.today, wall), medianOf(r.today, memory)}
}

// report is a whole comparison.
type report struct {
	base, today string // names of the commits
	pairs       int
	big         bool // of ten gigabytes
	results     []result
}

func (r *report) find(name string) *result {
	at := slices.IndexFunc(r.results, func(one result) bool { return one.name == name })
	if at < 0 {
		return nil
	}
	return &r.results[at]
}

func (r *report) heading() string {
	if r.big {
		return "### Ten gigabytes, against " + r.base
	}
	return "### Against " + r.base
}

// markdown returns the table. A cell of figures has processor time and elapsed time in
// milliseconds, and memory in megabytes.
func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d pairs, %d processors; cpu ms / elapsed ms / MB\n\n", r.today, r.pairs, runtime.NumCPU())
	fmt.Fprintf(&b, "| | %s | %s | cpu × | elapsed × | MB × | beside | mark | held |\n|---|---|---|---|---|---|---|---|---|\n", r.base, r.today)
	for i := range r.results {
		one := &r.results[i]
		beside := "–"
		if q, ok := ratio(one.today, one.third, cpu); ok {
			beside = fmt.Sprintf("%.2f × %s (%s)", q, one.besideName, cell(one.third))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", one.title, cell(one.base), cell(one.today),
			times(one, cpu), times(one, wall), times(one, memory), beside, cmp.Or(one.mark.text, "–"), r.verdict(one))
	}
	for _, one := range r.results {
		if one.over != nil {
			fmt.Fprintf(&b, "\n%s: above 100 ms are %s.\n", strings.TrimSuffix(one.title, ": the dearest, "+one.key), strings.Join(one.over, ", "))
		}
	}
	return b.String()
}

func cell(list []usage) string {
	if list == nil {
		return "–"
	}
	text := amount(medianOf(list, cpu)) + " / " + amount(medianOf(list, wall)) + " / "
	if mb := medianOf(list, memory); mb > 0 {
		return text + amount(mb)
	}
	return text + "–"
}

// amount has three digits at least.
func amount(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func times(one *result, of func(usage) float64) string {
	q, ok := ratio(one.today, one.base, of)
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.2f", q)
}

// keep puts a table into a page: in place of the last one under this heading, else after
// the other tables.
func keep(path, heading, table string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err := placed(string(text), heading, table)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

// tables is the heading of the kept tables.
const tables = "## Compared with earlier commits"

func placed(page, heading, table string) (string, error) {
	_, rest, ok := strings.Cut(page, "\n"+tables+"\n")
	if !ok {
		return "", fmt.Errorf("docs/bench.md has no heading %q", tables)
	}
	begin := len(page) - len(rest)
	end := len(page)
	if at := strings.Index(rest, "\n## "); at >= 0 {
		end = begin + at + 1
	}
	section := page[begin:end]
	one := "\n" + heading + "\n"
	if before, after, ok := strings.Cut(section, one); ok {
		if at := strings.Index(after, "\n### "); at >= 0 {
			after = after[at:]
		} else {
			after = "\n"
		}
		section = before + one + "\n" + table + after
	} else {
		section = strings.TrimRight(section, "\n") + "\n" + one + "\n" + table + "\n"
	}
	return page[:begin] + section + page[end:], nil
}
