package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hindsql/cmd/hindsql/prompt"
)

// typist types lines, and shows them on the screen after the prompt, like an editor. A
// line that ends in ^C is abandoned; ^D ends the session.
type typist struct {
	screen   io.Writer
	lines    []string
	remember []string
	before   func(line string) // called with each line
}

func (t *typist) ReadLine(sign string) (string, error) {
	line := "^D"
	if len(t.lines) > 0 {
		line, t.lines = t.lines[0], t.lines[1:]
	}
	fmt.Fprintln(t.screen, strings.TrimRight(sign+line, " "))
	if t.before != nil {
		t.before(line)
	}
	switch {
	case line == "^D":
		return "", io.EOF
	case strings.HasSuffix(line, "^C"):
		return "", prompt.ErrInterrupted
	}
	return line, nil
}

func (t *typist) Remember(lines []string) { t.remember = slices.Clone(lines) }

// atPrompt opens the prompt on the sample, in a new home.
func atPrompt(t *testing.T, cache string, args, lines []string) (e environment, screen *strings.Builder, typed *typist) {
	t.Helper()
	screen = &strings.Builder{}
	typed = &typist{screen: screen, lines: lines}
	e, _, _ = outside(t, args...)
	e.getenv = cachedIn(cache, "NO_COLOR=1", "EDITOR=sh editor.sh")
	e.stdout, e.stderr, e.editor, e.interrupts = screen, screen, typed, &interrupts{}
	e.stdinTerminal, e.stdoutTerminal, e.width = true, true, 100
	return e, screen, typed
}

// typedLine matches a line typed by the user in a transcript.
var typedLine = regexp.MustCompile(`^(hindsql>|      …>|[^│]*\[[^\]]*\]:)( .*)?$`)

var varying = []struct {
	form *regexp.Regexp
	same string
}{
	{regexp.MustCompile(`· [\d.]+ m?s`), "· 5 ms"},
	{regexp.MustCompile(`; [\d.]+ m?s\n`), "; 5 ms\n"},
	{regexp.MustCompile(`(?m)^store: .*$`), "store: …"},
	{regexp.MustCompile(`\d+ messages from \d+ logs`), "… messages from … logs"},
	{regexp.MustCompile(`[-\d]{10} [:\d]{8} \(every`), "2026-11-22 09:00:00 (every"},
	{regexp.MustCompile(`the logs as of [-\d]{10} [:\d]{8}`), "the logs as of 2026-11-22 09:00:00"},
	{regexp.MustCompile(`sample-\w+`), "sample"},
	{regexp.MustCompile(`written, \d[\d.]* kB;`), "written, 29.3 kB;"}, // source_id's number of digits depends on the logs' folder
	{regexp.MustCompile(`Total Time: [\d.]+s *`), "Total Time: 0.001s "},
	{regexp.MustCompile(`[\d.]+s( *│)`), "0.00s$1"},
}

// TestTranscripts types the lines in testdata/transcripts, and compares the whole
// screen. -update rewrites everything except the typed lines.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	cache := t.TempDir()
	files, err := filepath.Abs("testdata/transcripts/files")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		golden, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			lines := typedLines(t, golden)
			e, screen, _ := atPrompt(t, cache, []string{"--sample", "--timezone", "UTC"}, lines)
			t.Chdir(e.home)
			if err := os.CopyFS(".", os.DirFS(files)); err != nil {
				t.Fatal(err)
			}
			if code := execute(context.Background(), e); code != exitOK {
				t.Errorf("exit code %d", code)
			}
			got := strings.NewReplacer(cache, "~/.cache", e.home, "~").Replace(screen.String())
			for _, v := range varying {
				got = v.form.ReplaceAllString(got, v.same)
			}
			compareGolden(t, golden, got)
		})
	}
}

func typedLines(t *testing.T, path string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if m := typedLine.FindStringSubmatch(line); m != nil {
			lines = append(lines, strings.TrimPrefix(m[2], " "))
		}
	}
	return lines
}

// TestEveryCommandIsInATranscript: each command of the prompt occurs in a transcript.
func TestEveryCommandIsInATranscript(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	typed := map[string]bool{}
	for _, path := range paths {
		for _, line := range typedLines(t, path) {
			name, _, _ := strings.Cut(line, " ")
			typed[name] = true
		}
	}
	e, _, _ := outside(t)
	names := prompt.Names(promptConfig(&e, commandLine{logs: &logFlags{}, out: &outputFlags{}, commands: &[]string{}}, nil))
	if len(names) < 30 {
		t.Errorf("only %d names: %q", len(names), names)
	}
	for _, name := range names {
		if !typed[name] {
			t.Errorf("no transcript types %s", name)
		}
	}
}
