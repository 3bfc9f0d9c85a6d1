package shell

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
)

// Command returns a program that runs a command line in cmd, with further arguments.
// cmd gets the line as the user wrote it: exec.Command would put backslashes before its
// quotes, which cmd doesn't know. With /S, cmd takes off the outer quotes only.
func Command(ctx context.Context, line string, args ...string) *exec.Cmd {
	for _, a := range args {
		line += ` "` + strings.ReplaceAll(a, `"`, `""`) + `"`
	}
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + line + `"`}
	return cmd
}
