// Package all is the only list of agents in the program.
package all

import (
	"slices"

	"hindsql/readers"
	"hindsql/readers/claude"
	"hindsql/readers/cline"
	"hindsql/readers/codex"
	"hindsql/readers/copilot"
	"hindsql/readers/gemini"
	"hindsql/readers/grok"
	"hindsql/readers/kimi"
	"hindsql/readers/neovate"
	"hindsql/readers/openclaw"
	"hindsql/readers/opencode"
	"hindsql/readers/pi"
	"hindsql/readers/qwen"
	"hindsql/readers/vscode"
)

// Readers lists every agent's reader in display order. A package may offer the readers
// of a family: a program and its forks.
func Readers() []*readers.Reader {
	return slices.Concat(claude.Readers(), codex.Readers(), gemini.Readers(), vscode.Readers(), neovate.Readers(), copilot.Readers(), opencode.Readers(), pi.Readers(), openclaw.Readers(), kimi.Readers(), grok.Readers(), qwen.Readers(), cline.Readers())
}
