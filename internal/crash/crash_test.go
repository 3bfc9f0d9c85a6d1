package crash_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/crash"
)

const secret = "a text of a log"

// panicking returns what a function's panic leads to.
func panicking(folder string, do func()) (what, path string, err error) {
	defer func() {
		what = crash.Describe(recover())
		path, err = crash.Save(folder, "1.2.3", what)
	}()
	do()
	return "", "", nil
}

// TestSave: the words and the file name the fault and its place, and hold no value.
func TestSave(t *testing.T) {
	none, folder := []string{}, filepath.Join(t.TempDir(), "state")
	for want, do := range map[string]func(){
		"index out of range [2] with length 0":                  func() { _ = none[len(secret[:2])] },
		"invalid memory address or nil pointer dereference":     func() { _ = *(*int)(nil) },
		"a panic with a value of type string":                   func() { panic(secret) },
		"a panic with a value of type *errors.errorString":      func() { panic(errors.New(secret)) },
		"interface conversion: interface {} is string, not int": func() { _ = any(secret).(int) },
		"a panic with a value of type *fmt.wrapError":           func() { panic(fmt.Errorf("%s: %w", secret, os.ErrExist)) },
	} {
		what, path, err := panicking(folder, do)
		text, readErr := os.ReadFile(path)
		if err != nil || readErr != nil || what != want {
			t.Errorf("%q instead of %q: %v %v", what, want, err, readErr)
		}
		if !strings.Contains(string(text), "crash_test.TestSave") || !strings.Contains(string(text), "crash_test.go:") || !strings.Contains(string(text), "1.2.3") || strings.Contains(string(text), secret) {
			t.Errorf("%s:\n%s", want, text)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"", filepath.Join(file, "state")} {
		if _, _, err := panicking(folder, func() { panic(secret) }); err == nil {
			t.Errorf("%q was written", folder)
		}
	}
}

// TestWatch: a panic of another goroutine goes to the file. The next process takes the
// value out.
func TestWatch(t *testing.T) {
	if folder := os.Getenv("HINDSQL_CRASH_TEST"); folder != "" {
		crash.Watch(folder)
		go panic(secret)
		select {}
	}
	folder := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run", "^TestWatch$")
	child.Env = append(os.Environ(), "HINDSQL_CRASH_TEST="+folder)
	if err := child.Run(); err == nil {
		t.Fatal("the child lives")
	}
	path := filepath.Join(folder, "panic-other.txt")
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "TestWatch") {
		t.Fatalf("%v: %s", err, text)
	}
	crash.Watch(folder)
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "TestWatch") || strings.Contains(string(text), secret) {
		t.Errorf("%v: %s", err, text)
	}
}
