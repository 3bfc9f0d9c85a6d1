// Package crash writes the stack of a panic to a file.
//
// In: a panic's value, in a deferred function. Out: words for people, and a file with
// the stack's frames. Neither shows the value, nor arguments of functions: both may hold
// texts of logs.
package crash

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"hindsql/internal/regular"
)

// Catch, in a defer statement, recovers from a panic, and calls use with its value.
func Catch(use func(value any)) {
	if value := recover(); value != nil {
		use(value)
	}
}

// Report saves the stack of a panic, and gives notice of the panic and of the file. It
// returns the words for a client, who needn't know the file. The caller is a deferred
// function.
func Report(value any, folder, version string, short func(path string) string, notice func(format string, args ...any)) string {
	what := Describe(value)
	told := fmt.Sprintf("internal error in hindsql %s: %s", version, what)
	if path, err := Save(folder, version, what); err != nil {
		notice("%s; the stack can't be saved (%v); please report it", told, err)
	} else {
		notice("%s; the stack is in %s; please report it", told, short(path))
	}
	return told + "; please report it"
}

// Describe says what went wrong: the runtime's own words, which hold numbers and types,
// or the type of any other value.
func Describe(value any) string {
	var wrong runtime.Error
	if err, ok := value.(error); ok && errors.As(err, &wrong) {
		return strings.TrimPrefix(wrong.Error(), "runtime error: ")
	}
	return fmt.Sprintf("a panic with a value of type %T", value)
}

// Save writes the stack of the panic that the caller recovers from, and returns the
// file. Each place of a panic has one file, so many panics don't fill a disk.
func Save(folder, version, what string) (path string, err error) {
	if folder == "" {
		return "", errors.New("no home folder is known")
	}
	frames := frames()
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(frames))
	path = filepath.Join(folder, fmt.Sprintf("panic-%08x.txt", hash.Sum32()))
	text := fmt.Sprintf("hindsql %s, %s, %s/%s\n%s\n\n%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, what, frames)
	if err = os.MkdirAll(folder, 0o700); err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	return path, err
}

// frames returns the functions on the stack, with their places, the innermost first.
func frames() string {
	callers := make([]uintptr, 200)
	list := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	var text strings.Builder
	for {
		f, more := list.Next()
		fmt.Fprintf(&text, "%s\n\t%s:%d\n", f.Function, f.File, f.Line)
		if !more {
			return text.String()
		}
	}
}

// otherPanics is the name of the file for panics that nothing recovers from.
const otherPanics = "panic-other.txt"

// Watch has Go write panics of other goroutines to a file, as far as the folder exists.
// First it takes values and arguments out of the file's panics of earlier processes.
func Watch(folder string) {
	if folder == "" {
		return
	}
	path := filepath.Join(folder, otherPanics)
	if text, err := regular.Read(path, regular.Own); err == nil && len(text) > 0 {
		_ = os.WriteFile(path, []byte(withoutArguments(string(text))), 0o600)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_ = debug.SetCrashOutput(file, debug.CrashOptions{})
	_ = file.Close() // Go has a copy
}

// withoutArguments keeps the lines of a crash's output that name functions and places,
// without the functions' arguments.
func withoutArguments(text string) string {
	var kept strings.Builder
	goroutine := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(strings.TrimSpace(line), ":"):
			goroutine = true
			kept.WriteString(line)
		case strings.TrimSpace(line) == "":
			goroutine = false
		case goroutine && strings.HasPrefix(line, "\t"):
			kept.WriteString(line)
		case goroutine:
			if end := strings.LastIndexByte(line, '('); end > 0 && !strings.HasPrefix(line, "created by ") {
				line = line[:end] + "\n"
			}
			kept.WriteString(line)
		}
	}
	return kept.String()
}
