package lint_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw docs/house.svg anew")

// picture is the file shown by CONTRIBUTING.
const picture = "docs/house.svg"

// TestHouse checks that the picture of the house matches the imports. Rooms are the top
// folders, streets the packages inside. A room's floor is one above the highest room it
// imports, so every arrow leads down. The picture leaves out other modules, and imports
// of tests.
func TestHouse(t *testing.T) {
	h := newHouse(t)
	floors := 0
	for room := range h.streets {
		floors = max(floors, h.floor(t, room, nil))
	}
	arrows := 0
	for _, to := range h.imports {
		arrows += len(to)
	}
	if rooms := len(h.streets); rooms > 6 || floors > 5 || arrows > 13 {
		t.Errorf("%d rooms on %d floors with %d arrows; want 6, 5 and 13 at most", rooms, floors, arrows)
	}
	want := h.draw(t)
	if *update {
		if err := os.WriteFile(filepath.Join("../..", picture), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := fs.ReadFile(root, picture); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s isn't the house of today (%v); run make update", picture, err)
	}
}

// house holds the packages of the program and their imports, by room.
type house struct {
	streets map[string][]string        // packages by room, without the room's name
	imports map[string]map[string]bool // rooms imported by a room
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{map[string][]string{}, map[string]map[string]bool{}}
	for _, s := range sources(t) {
		room, street, _ := strings.Cut(path.Dir(s.path), "/")
		if room == "tools" || strings.HasPrefix(street, "hindsql-lake") {
			continue
		}
		if s.room == "readers/AGENT" {
			street = "AGENT" // readers/all has the agents' names
		}
		if !slices.Contains(h.streets[room], street) {
			h.streets[room] = append(h.streets[room], street)
		}
		if h.imports[room] == nil {
			h.imports[room] = map[string]bool{}
		}
		for _, spec := range s.file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if inside, ours := strings.CutPrefix(name, "hindsql/"); ours {
				if to, _, _ := strings.Cut(inside, "/"); to != room {
					h.imports[room][to] = true
				}
			}
		}
	}
	return h
}

// floor returns the number of a room's floor, from 1. above holds the rooms on the
// search path, to find circles.
func (h *house) floor(t *testing.T, room string, above []string) int {
	t.Helper()
	if slices.Contains(above, room) {
		t.Fatalf("a circle of imports: %v", append(above, room))
	}
	floor := 1
	for to := range h.imports[room] {
		floor = max(floor, 1+h.floor(t, to, append(above, room)))
	}
	return floor
}

// The sizes of the picture, in pixels.
const (
	roomWidth, roomHeight = 420, 112
	stepX, stepY          = 90, roomHeight + 20 // from a room to the next below it
	laneWidth             = 15                  // between two arrows
	lineHeight            = 17
	lettersOfLine         = 54
)

// draw draws a staircase: each room stands below and to the right of its possible
// importers. An arrow leaves a room at the bottom and enters the imported room from the
// left.
func (h *house) draw(t *testing.T) []byte {
	t.Helper()
	type place struct{ x, y int }
	rooms := slices.SortedFunc(maps.Keys(h.streets), func(a, b string) int {
		return cmp.Or(h.floor(t, b, nil)-h.floor(t, a, nil), strings.Compare(a, b))
	})
	places := map[string]place{}
	for i, room := range rooms {
		places[room] = place{10 + i*stepX, 10 + i*stepY}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, monospace" font-size="12">`+"\n", 20+roomWidth+(len(rooms)-1)*stepX, len(rooms)*stepY)
	b.WriteString("<title>The rooms of hindsql, and which imports which</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	b.WriteString(`<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>` + "\n")
	came := map[string]int{}
	for _, room := range rooms {
		lane := 1
		for _, to := range slices.Backward(rooms) {
			if !h.imports[room][to] {
				continue
			}
			came[to]++
			from, end := places[room], places[to]
			fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#57606a" marker-end="url(#head)"><title>%s imports %s</title></path>`+"\n",
				from.x+lane*laneWidth, from.y+roomHeight, end.y+came[to]*laneWidth, end.x, room, to)
			lane++
		}
	}
	for _, room := range rooms {
		at := places[room]
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="#f6f8fa" stroke="#57606a"/>`+"\n", at.x, at.y, roomWidth, roomHeight)
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", at.x+12, at.y+20, html.EscapeString(room))
		for i, line := range linesOf(h.streets[room]) {
			fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#57606a">%s</text>`+"\n", at.x+12, at.y+20+(i+1)*lineHeight, html.EscapeString(line))
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// linesOf joins the sorted names into lines of limited length.
func linesOf(names []string) (lines []string) {
	line := ""
	for _, name := range slices.Sorted(slices.Values(names)) {
		switch {
		case name == "": // the room itself
		case line == "":
			line = name
		case len(line)+len(name)+2 > lettersOfLine:
			lines, line = append(lines, line+","), name
		default:
			line += ", " + name
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
