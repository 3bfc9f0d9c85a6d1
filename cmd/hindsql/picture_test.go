package main

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// The picture in README.md: a terminal of pictureWidth columns.
const (
	pictureWidth  = 132
	letter, line  = 8.4, 18.0 // of a 14 px letter: its width and the line distance, in px
	margin        = 16.0
	pictureInk    = "#d7dae0"
	picturePaper  = "#1d2027"
	pictureDimInk = "#8a919e"
)

// pictured lists the commands of the picture.
var pictured = []string{
	"hindsql rejections top=4",
	"hindsql show 9a3f50d7",
}

// inks has the colours of ANSI sequences by the number between ESC[ and m.
var inks = map[string]string{
	"1": `font-weight="bold"`, "2": `fill="` + pictureDimInk + `"`, "7": `font-weight="bold"`,
	"31": `fill="#f47067"`, "32": `fill="#8ddb8c"`, "33": `fill="#f0c674"`, "34": `fill="#6cb6ff"`, "35": `fill="#dcbdfb"`, "36": `fill="#76e3ea"`,
}

var sequence = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// TestPicture compares docs/hindsql.svg with the commands' output on the sample, on a
// terminal with colours. -update redraws the picture.
func TestPicture(t *testing.T) {
	t.Parallel()
	var screen []string
	for _, command := range pictured {
		args := append([]string{"--no-pager"}, strings.Fields(command)[1:]...)
		e, stdout, stderr := onSample(t, args...)
		e.stdoutTerminal, e.width = true, pictureWidth
		got := elapsedTime.ReplaceAllString(succeed(t, e, stdout, stderr), "$1")
		screen = append(screen, "\x1b[32m$\x1b[0m "+command)
		screen = append(screen, strings.Split(strings.TrimRight(got, "\n"), "\n")...)
		screen = append(screen, "")
	}
	compareGolden(t, filepath.Join("..", "..", "docs", "hindsql.svg"), drawn(t, screen[:len(screen)-1]))
}

// elapsedTime matches the duration in a table's last line, which varies by run. The
// duration of a call in a session stays.
var elapsedTime = regexp.MustCompile(`(?m)^([^▸✗\n]*) · [0-9.]+ m?s\b`)

// drawn returns a terminal's screen as SVG.
func drawn(t *testing.T, screen []string) string {
	t.Helper()
	width, height := 2*margin+pictureWidth*letter, 2*margin+float64(len(screen))*line
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s in a terminal">`+"\n",
		width, height, width, height, escaped(strings.Join(pictured, ", then ")))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", picturePaper)
	fmt.Fprintf(&b, `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="%s">`+"\n", pictureInk)
	for i, text := range screen {
		y := margin + float64(i)*line + 13
		drawLine(&b, text, y)
	}
	b.WriteString("</g>\n</svg>\n")
	if err := xml.Unmarshal([]byte(b.String()), new(struct{})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// drawLine writes each piece of one colour at a fixed position, because a font of
// another width would move the borders.
func drawLine(b *strings.Builder, text string, y float64) {
	style, at, from := "", 0, 0
	piece := func(s string) {
		if strings.TrimSpace(s) != "" {
			lead := len(s) - len(strings.TrimLeft(s, " "))
			s := strings.TrimRight(s[lead:], " ")
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>`+"\n",
				margin+float64(at+lead)*letter, y, float64(utf8.RuneCountInString(s))*letter, style, escaped(s))
		}
		at += utf8.RuneCountInString(s)
	}
	for _, m := range sequence.FindAllStringSubmatchIndex(text, -1) {
		piece(text[from:m[0]])
		from, style = m[1], ""
		for _, code := range strings.Split(text[m[2]:m[3]], ";") {
			if ink := inks[code]; ink != "" {
				style += " " + ink
			}
		}
	}
	piece(text[from:])
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))                    // a Builder never fails
	return strings.ReplaceAll(b.String(), " ", "\u00a0") // SVG joins several spaces
}
