package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// prepareProcess has consoles read colours and moves of the cursor. Consoles before
// Windows 10 can't: then hindsql writes without colours. The prompt's library reads key
// events, and so needs no such mode for input. New files in the user's profile are
// private by the profile's access list.
func prepareProcess() {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		console := windows.Handle(f.Fd())
		var mode uint32
		if windows.GetConsoleMode(console, &mode) != nil {
			continue // no console
		}
		mode |= windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
		if windows.SetConsoleMode(console, mode) != nil {
			_ = os.Setenv("NO_COLOR", "1")
		}
	}
}
