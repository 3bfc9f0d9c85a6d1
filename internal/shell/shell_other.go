//go:build !windows

package shell

import (
	"context"
	"os/exec"
)

// Command returns a program that runs a command line in sh, with further arguments.
func Command(ctx context.Context, line string, args ...string) *exec.Cmd {
	if len(args) > 0 {
		line += ` "$@"`
	}
	return exec.CommandContext(ctx, "sh", append([]string{"-c", line, "sh"}, args...)...)
}
