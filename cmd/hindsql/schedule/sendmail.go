package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hindsql/internal/words"
)

// ErrNoSendmail means that no program takes mails.
var ErrNoSendmail = errors.New("no sendmail found on PATH or at /usr/sbin/sendmail; install a mail program that has one, such as msmtp or postfix, or have --notify run another")

// FindSendmail returns the path of the program sendmail: in a folder of path, a value of
// PATH, or where systems keep it. A scheduler's PATH may lack the folder later.
func FindSendmail(path string) (string, error) {
	for _, folder := range append(filepath.SplitList(path), "/usr/sbin", "/usr/lib") {
		if found, err := exec.LookPath(filepath.Join(folder, "sendmail")); err == nil && filepath.IsAbs(found) {
			return found, nil
		}
	}
	return "", ErrNoSendmail
}

// Sendmail has the program sendmail send a mail to the recipients in its header. The
// error has the program's exit status, and what the program said.
func Sendmail(ctx context.Context, program string, mail io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, longestNotice)
	defer cancel()
	if !filepath.IsAbs(program) {
		return fmt.Errorf("sendmail %q: no absolute path; install the report again with --mail-to", program)
	}
	cmd := exec.CommandContext(ctx, program, "-t", "-i") // -i: a dot alone on a line doesn't end the mail
	cmd.WaitDelay = longestChild
	var said bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Environ(), mail, io.Discard, &said
	err := cmd.Run()
	switch text := words.Line(said.String(), longestError/2); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: not done after %s: %s", program, words.Duration(longestNotice), text)
	case text == "":
		return fmt.Errorf("%s: %w", program, err)
	default:
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(text))
	}
}
