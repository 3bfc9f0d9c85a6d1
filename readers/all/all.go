// Package all is the only list of agents in the program.
package all

import (
	"slices"
	"sync"

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

// Readers lists every agent's reader in display order. A package of a family has the
// readers of a program and its forks.
func Readers() []*readers.Reader { return slices.Clone(list()) }

var list = sync.OnceValue(func() []*readers.Reader {
	qwen.ReadOldChat = gemini.Reader.Read
	return []*readers.Reader{
		claude.Reader, codex.Reader, gemini.Reader, vscode.Reader, neovate.Reader, copilot.Reader, opencode.Reader, opencode.Kilo,
		pi.Reader, pi.OhMyPi, pi.Prime, openclaw.Reader, kimi.Reader, grok.Reader, qwen.Reader, cline.Reader,
	}
})
