package html

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"

	svg "github.com/wcharczuk/go-chart/v2"

	"hindsql/internal/chart"
	"hindsql/internal/words"
)

// shades is the number of steps of a heat map's colour. style.css has the classes h0 to
// h5, and t4 and t5 for letters on the darkest.
const shades = 5

// letter is the width of a wide letter.
const letter = 8

// drawHeat draws a grid as a field of cells.
func drawHeat(g *Grid, s size) (string, error) {
	labels := 0
	for _, row := range g.rows {
		labels = max(labels, utf8.RuneCountInString(row))
	}
	left := min(labels*letter+8, s.width/3)
	width := min((s.width-left)/max(1, len(g.columns)), 60)
	const height, head = 24, 20
	r, err := svg.SVG(left+width*len(g.columns), head+height*len(g.rows))
	if err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	f := field{r, g, left, head, width, height}
	f.draw()
	var b bytes.Buffer
	err = r.Save(&b)
	return b.String(), err
}

// field is the state while drawing a heat map. Lengths are in the units of text.
type field struct {
	svg.Renderer
	*Grid
	left, head, width, height int
}

func (f *field) draw() {
	widest := 1
	for _, c := range f.columns {
		widest = max(widest, utf8.RuneCountInString(c))
	}
	every := max(1, int(math.Ceil(float64(widest*letter+4)/float64(f.width))))
	if every > 1 && every < 6 && len(f.columns) == 24 {
		every = 6 // hours: label 0, 6, 12, 18
	}
	for i, c := range f.columns {
		if i%every == 0 {
			f.write("label middle", c, f.left+i*f.width+f.width/2, f.head-6)
		}
	}
	for k, row := range f.rows {
		y := f.head + k*f.height
		f.write("label end", words.Cut(row, (f.left-8)/letter), f.left-6, y+f.height/2+4)
		for i, c := range f.columns {
			f.cell(f.cells[[2]string{row, c}], f.left+i*f.width, y)
		}
	}
}

func (f *field) cell(n float64, x, y int) {
	shade := 0
	if n > 0 && f.most > 0 {
		shade = max(1, int(math.Ceil(n/f.most*shades)))
	}
	f.SetClassName(fmt.Sprintf("h%d", shade))
	f.MoveTo(x+1, y+1)
	f.LineTo(x+f.width-1, y+1)
	f.LineTo(x+f.width-1, y+f.height-1)
	f.LineTo(x+1, y+f.height-1)
	f.Close()
	f.Fill()
	if n > 0 && len(chart.Unit("").Mark(f.most))*letter+4 <= f.width { // write the numbers of all cells, or of none
		f.write(fmt.Sprintf("middle t%d", shade), chart.Unit("").Mark(n), x+f.width/2, y+f.height/2+4)
	}
}

// write escapes and cuts a text, because the library doesn't escape.
func (f *field) write(class, text string, x, y int) {
	f.SetClassName(class)
	f.Text(escape(beginning(text, longestLabel)), x, y)
}
