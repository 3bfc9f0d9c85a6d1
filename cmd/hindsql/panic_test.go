package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// panicking is a stream that panics with a text of a log.
type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a text of a log") }

// TestPanic: a panic gives one line, exit code 70, and a file with frames only. The line
// says so if the file can't be written.
func TestPanic(t *testing.T) {
	t.Parallel()
	env, _, told := outside(t, "version")
	env.stdout = panicking{}
	panics := func(want string) []string {
		t.Helper()
		told.Reset()
		if code := execute(context.Background(), env); code != exitPanic {
			t.Errorf("exit code %d", code)
		}
		m := regexp.MustCompile(want).FindStringSubmatch(told.String())
		if m == nil || strings.Contains(told.String(), "a text of a log") || strings.Count(told.String(), "\n") != 1 {
			t.Fatalf("%q", told.String())
		}
		return m
	}
	m := panics(`^hindsql: internal error in hindsql \S+: a panic with a value of type string; the stack is in ~(/\S+); please report it\n$`)
	text, err := os.ReadFile(filepath.Join(env.home, filepath.FromSlash(m[1])))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "hindsql.runVersion") || strings.Contains(string(text), "a text of a log") {
		t.Errorf("%s", text)
	}
	if err := errors.Join(os.RemoveAll(env.state("")), os.WriteFile(env.state(""), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	panics(`; the stack can't be saved \(.+\); please report it\n$`)
	env.home, env.getenv = "", func(string) string { return "" }
	panics(`; the stack can't be saved \(no home folder is known\); please report it\n$`)
}
