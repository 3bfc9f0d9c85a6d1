package term

import (
	"fmt"
	"io"
	"strings"
)

// SaysYes asks a question, and reads the answer's line: byte by byte, because a further
// question may follow.
func SaysYes(in io.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	var answer strings.Builder
	for next := make([]byte, 1); ; {
		n, err := in.Read(next)
		if n == 0 && err != nil {
			fmt.Fprintln(out) // the input ended without a line end
			break
		}
		if n > 0 && next[0] == '\n' {
			break
		}
		answer.Write(next[:n])
	}
	said := strings.ToLower(strings.TrimSpace(answer.String()))
	return said == "y" || said == "yes"
}
