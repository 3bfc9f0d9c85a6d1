package term

import (
	"bufio"
	"strings"

	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// drawing is a chart that is drawn with characters.
type drawing struct {
	Options
	*chart.Data
}

// Widths of a chart in cells: usualWidth in a file or pipe, leastWidth at least.
const (
	usualWidth = 80
	leastWidth = 30
)

// writeChart draws a result as the query's chart declaration says. Without a
// declaration, package chart chooses by its rule.
func writeChart(w *bufio.Writer, r *result.Rows, o Options) error {
	if o.Width == 0 {
		o.Width = usualWidth
	}
	o.Width = max(o.Width, leastWidth)
	data, err := chart.Read(r, o.Chart)
	if err != nil {
		return err
	}
	d := &drawing{o, data}
	d.draw(w)
	return nil
}

func (d *drawing) draw(w *bufio.Writer) {
	foot := words.Quantity(d.Rows, "row")
	if d.Kind == chart.Line {
		d.line(w)
		first, last := d.Span()
		foot += ", " + first + " to " + last
	} else {
		d.bars(w)
	}
	for _, note := range d.PlotNotes() {
		foot += "; " + oneLine(note)
	}
	if d.Elapsed != nil {
		foot += " · " + words.Duration(d.Elapsed())
	}
	if d.ASCII {
		foot = strings.NewReplacer("·", "-", "…", "...").Replace(foot)
	}
	w.WriteString(note(d.Options, dim, foot))
}

// signs are the characters of charts.
type signs struct {
	eighths                      []rune // parts of a cell, from left to right, the last one whole
	axis, corner, tick, mark     string // of a chart's edges
	level, upright, dot          string // of a line
	upFrom, upTo, downFrom, down string // turns of the line
	more                         string // marks a cut
}

var (
	drawn = signs{
		[]rune("▏▎▍▌▋▊▉█"), "│", "└", "┤", "┬",
		"─", "│", "•",
		"╯", "╭", "╮", "╰", "…",
	}
	typed = signs{
		[]rune("#"), "|", "+", "+", "+",
		"-", "|", "*",
		"'", ".", ".", "'", "~",
	}
)

func (d *drawing) signs() *signs {
	if d.ASCII {
		return &typed
	}
	return &drawn
}

// letters returns a label in ASCII if the terminal has only ASCII.
func (d *drawing) letters(s string) string {
	if !d.ASCII {
		return s
	}
	s = strings.NewReplacer("–", "-", "·", "-", "…", "~", words.LineEnd, " ").Replace(s)
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, s)
}
