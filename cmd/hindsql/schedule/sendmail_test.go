package schedule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/internal/posix"
)

// TestSendmail: sendmail gets the mail and reads the recipients from the header. If
// sendmail fails, the error has the exit status, and sendmail's words on one line.
func TestSendmail(t *testing.T) {
	t.Parallel()
	posix.Only(t, "sendmail is a shell script")
	dir := t.TempDir()
	program, got := filepath.Join(dir, "sendmail"), filepath.Join(dir, "got")
	script := func(text string) {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script(`{ echo "$@"; cat; } > '` + got + "'")
	found, err := schedule.FindSendmail("relative" + string(os.PathListSeparator) + dir)
	if err != nil || found != program {
		t.Fatalf("%s, %v", found, err)
	}
	if err := schedule.Sendmail(t.Context(), found, strings.NewReader("To: a@b.org\n\nhello\n")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(got); err != nil || string(text) != "-t -i\nTo: a@b.org\n\nhello\n" {
		t.Errorf("%q, %v", text, err)
	}
	for text, want := range map[string]string{
		"echo queue >&2; echo is full >&2; exit 75": program + ": exit status 75: queue is full",
		"exit 1": program + ": exit status 1",
		"yes 0123456789 | head -c 100000 >&2; false": "…",
	} {
		script(text)
		if err := schedule.Sendmail(t.Context(), found, strings.NewReader("x")); err == nil || !strings.HasSuffix(err.Error(), want) || len(err.Error()) > 2000 {
			t.Errorf("%s: %.200v", text, err)
		}
	}
	if err := schedule.Sendmail(t.Context(), "sendmail", strings.NewReader("x")); err == nil || !strings.Contains(err.Error(), "no absolute path") {
		t.Errorf("%v", err)
	}
}
