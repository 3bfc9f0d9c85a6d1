package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// lastFile has the table of the last run of all agents and scenarios. It is committed.
const lastFile = "last.txt"

// keepTable writes the table of a whole run to a file, below the day of the run.
func keepTable(path string, day time.Time, verdicts []*verdict) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "make drift, %s\n\n", day.UTC().Format(time.DateOnly))
	printTable(&text, verdicts)
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// printTable writes the table, a row for each agent, and all differences below.
func printTable(w io.Writer, verdicts []*verdict) {
	rows := [][]string{{"agent", "tested", "newest", "scenarios run", "rows right", "unknown"}}
	for _, v := range verdicts {
		rows = append(rows, v.row())
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			if i < len(row)-1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2))
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
	for _, v := range verdicts {
		for i, remark := range v.remarks {
			if i == 0 {
				fmt.Fprintf(w, "\n%s\n", v.agent.title)
			}
			fmt.Fprintln(w, "    "+remark)
		}
	}
}

// row returns the cells of an agent's row.
func (v *verdict) row() []string {
	row := []string{v.agent.title, v.tested, firstOf(v.newest, "–")}
	switch {
	case v.cannot != "":
		return append(row, "can't: "+v.cannot)
	case v.compared != "":
		return append(row, v.compared)
	}
	ran, right := fmt.Sprintf("%d of %d", v.ran, v.of), fmt.Sprintf("%d of %d", v.right, v.wanted)
	if v.extra > 0 {
		right += fmt.Sprintf(", %d more", v.extra)
	}
	return append(row, ran, right, v.unknownCount())
}

func (v *verdict) unknownCount() string {
	kinds := 0
	for f := range v.unknown {
		if f.key == "unknown_kind" {
			kinds++
		}
	}
	if len(v.unknown) == 0 {
		return "–"
	}
	return fmt.Sprintf("kinds: %d, fields: %d", kinds, len(v.unknown)-kinds)
}

// drifted reports whether anything of the agent differs from the scenarios.
func (v *verdict) drifted() bool {
	return v.cannot != "" || v.ran < v.of || v.right < v.wanted || v.extra > 0 || len(v.unknown) > 0
}
