// Package all is the only list of agents in the program.
package all

import (
	"hindsql/readers"
	"hindsql/readers/claude"
	"hindsql/readers/codex"
	"hindsql/readers/gemini"
	"hindsql/readers/neovate"
	"hindsql/readers/vscode"
)

// Readers lists every agent's reader, in the order that people see.
func Readers() []*readers.Reader {
	return []*readers.Reader{claude.Reader, codex.Reader, gemini.Reader, vscode.Reader, neovate.Reader}
}
