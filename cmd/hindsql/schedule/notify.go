package schedule

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"hindsql/internal/regular"
	"hindsql/internal/shell"
)

// longestNotice is the time limit of a notify command, or of sendmail. longestChild is
// how long a child of theirs may keep their output open.
const (
	longestNotice = 5 * time.Minute
	longestChild  = time.Second
)

// Notify runs a command in the shell. The command reads the report file
// from standard input, or the run's error if the run wrote no file. Its environment has
// HINDSQL_REPORT (the report's name), HINDSQL_STATUS (ok, alert or failed) and
// HINDSQL_OUTPUT (the path of the file).
func Notify(ctx context.Context, command string, run Run) error {
	ctx, cancel := context.WithTimeout(ctx, longestNotice)
	defer cancel()
	cmd := shell.Command(ctx, command)
	cmd.WaitDelay = longestChild
	cmd.Env = append(os.Environ(), "HINDSQL_REPORT="+run.Name, "HINDSQL_STATUS="+string(run.Status), "HINDSQL_OUTPUT="+run.Output)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	cmd.Stdin = strings.NewReader(run.Error + "\n")
	if run.Output != "" {
		file, err := regular.Open(run.Output)
		if err != nil {
			return err
		}
		defer file.Close()
		cmd.Stdin = file
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}
