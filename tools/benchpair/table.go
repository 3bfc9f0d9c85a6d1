package main

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"
)

// pair is a run of each side: the commit, and this tree.
type pair [2]figures

// measure runs both builds alternately. Each second pair begins with today's. A failed
// run of the base has no figures.
func (b *bench) measure(ctx context.Context, m measurement) ([]pair, error) {
	pairs := make([]pair, b.pairs)
	for i := range pairs {
		b.say("%s, pair %d of %d", m.name, i+1, b.pairs)
		for k := range b.sides {
			at := (k + i) % 2
			var err error
			pairs[i][at], err = m.once(ctx, b.sides[at])
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && at == 1:
				return nil, fmt.Errorf("%s: %w", b.sides[at].name, err)
			case err != nil:
				b.say("%s, without %s: %v", m.name, b.sides[at].name, err)
			}
		}
	}
	return pairs, nil
}

// heading returns the table's first lines. A cell of figures has processor time and
// elapsed time in milliseconds, and memory in megabytes.
func (b *bench) heading() string {
	return fmt.Sprintf("%s, %d pairs, %d processors; cpu ms / elapsed ms / MB\n\n| | %s | %[1]s | cpu × | elapsed × | MB × |\n|---|---|---|---|---|---|\n",
		b.sides[1].name, b.pairs, runtime.NumCPU(), b.sides[0].name)
}

// markdown returns the rows of a measurement: one for each part.
func markdown(m measurement, pairs []pair) string {
	parts := map[string]bool{}
	for _, p := range pairs {
		for _, side := range p {
			for part := range side {
				parts[part] = true
			}
		}
	}
	var b strings.Builder
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		title := strings.TrimSuffix(m.title+", "+part, ", ")
		base, today := usages(pairs, 0, part), usages(pairs, 1, part)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", title, cell(base), cell(today), times(today, base, cpu), times(today, base, wall), times(today, base, memory))
	}
	return b.String()
}

// usages returns the figures of a part on a side, one a pair; nil if one is absent.
func usages(pairs []pair, side int, part string) (list []usage) {
	for _, p := range pairs {
		used, ok := p[side][part]
		if !ok {
			return nil
		}
		list = append(list, used)
	}
	return list
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
func ratio(a, b []usage, of func(usage) float64) (q float64, ok bool) {
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

func times(a, b []usage, of func(usage) float64) string {
	q, ok := ratio(a, b, of)
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.2f", q)
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

// The figures of a usage, in milliseconds and megabytes.
func cpu(u usage) float64    { return milliseconds(u.cpu) }
func wall(u usage) float64   { return milliseconds(u.wall) }
func memory(u usage) float64 { return float64(u.memory) / 1e6 }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
