package main

import (
	"strings"
	"testing"

	"hindsql/cmd/hindsql/render"
)

// TestFindingsOnTerminal: marks, colours where they are wanted, and what is long
// below where it began.
func TestFindingsOnTerminal(t *testing.T) {
	t.Parallel()
	found := []finding{
		{stateOK, "store", "fine", ""},
		{stateLook, "problems", "two lines or files could not be read, or not wholly", "hindsql shows them"},
		{stateBroken, "x", "y", ""},
	}
	for color, want := range map[bool]string{
		false: "✓ store     fine\n! problems  two lines or files could not\n            be read, or not wholly\n            → hindsql shows them\n✗ x         y\n",
		true:  "\x1b[32m✓\x1b[0m store     fine\n\x1b[1m!\x1b[0m problems  two lines or files could not\n            be read, or not wholly\n            → hindsql shows them\n\x1b[31m✗\x1b[0m x         y\n",
	} {
		var b strings.Builder
		if err := tellFindings(&render.Output{Writer: render.NewDoor(&b), Options: render.Options{Width: 42, Color: color}}, found); err != nil || b.String() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
		}
	}
}
