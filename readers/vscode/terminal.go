package vscode

import (
	"cmp"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// terminal is what a part records about a shell command (FORMAT.md §3.2).
type terminal struct {
	original          string // as the model proposed it
	command, proposed string // proposed is the model's command, if the user edited it
	edited            bool   // by the user
	autoApproval      string // sentence by which a rule explains why VS Code did or didn't ask
	language          string // language of its shell
	cwd               string
	background        bool
	exitCode          tables.Maybe[int64]
	duration          tables.Maybe[int64]
	started           time.Time
	output            string
}

// posixShells lists the terminal languages whose commands can be split.
var posixShells = readers.SetOf("sh bash zsh dash ksh shellscript")

// posix reports whether the command is for a POSIX shell, or for an unknown one.
func (t terminal) posix() bool { return t.language == "" || posixShells[t.language] }

func terminalOf(v *fastjson.Value) terminal {
	line := v.Get("commandLine")
	proposed := cmp.Or(readers.Text(line, "toolEdited"), readers.Text(line, "original"), readers.Text(line), readers.Text(v, "command"))
	t := terminal{
		original:   readers.Text(line, "original"),
		command:    cmp.Or(readers.Text(line, "userEdited"), proposed),
		cwd:        locationOf(v.Get("cwd")).path,
		edited:     readers.Text(line, "userEdited") != "",
		language:   readers.Text(v, "language"),
		background: readers.Bool(v, "isBackground"),
		exitCode:   readers.Count(v, "terminalCommandState", "exitCode"),
		duration:   readers.Count(v, "terminalCommandState", "duration"),
		started:    readers.Time(v.Get("terminalCommandState", "timestamp")),
		output:     readers.Text(v, "terminalCommandOutput", "text"),

		autoApproval: markdown(v.Get("autoApproveInfo")),
	}
	if t.command != proposed {
		t.proposed = proposed
	}
	return t
}
