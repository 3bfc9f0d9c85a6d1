package prompt

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

const (
	historyLimit = 1000    // entries that the user can call back
	historyTail  = 1 << 20 // bytes read from the file's end
)

// history holds the entries that the user typed. Its file has one entry a line. A
// prompt only appends to the file, because other prompts may append their entries at
// the same time.
type history struct {
	path    string   // empty if no history is kept
	entries []string // the oldest first, without duplicates
	typed   string   // the beginning of an entry that isn't complete yet
}

func openHistory(path string) (*history, error) {
	h := &history{path: path}
	if path == "" {
		return h, nil
	}
	lines, err := tailLines(path, historyTail)
	for _, line := range lines {
		h.keep(unescape(line))
	}
	return h, err
}

// tailLines returns the complete lines in the last limit bytes of a file; none if the
// file doesn't exist.
func tailLines(path string, limit int64) ([]string, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-limit)
	r := bufio.NewReader(io.NewSectionReader(f, from, limit))
	if from > 0 {
		if _, err := r.ReadString('\n'); err != nil {
			return nil, nil // the last line is longer than limit
		}
	}
	text, err := io.ReadAll(r)
	return strings.Split(string(text), "\n"), err
}

// note adds typed text to the entry being collected. The entry is complete when its
// last statement ends. in is the input's state before the text. A command typed in the
// middle of a statement, and leaving the statement unchanged, becomes an entry of its
// own.
func (h *history) note(in input, text string) error {
	after := in
	for line := range strings.Lines(text) {
		after.take(strings.TrimRight(line, "\r\n"))
	}
	line := strings.TrimSpace(text)
	switch {
	case in.isCommand(line) && after.buffer == in.buffer:
		return h.add(line)
	case after.buffer != "":
		h.typed += text + "\n"
		return nil
	}
	entry := strings.TrimRight(h.typed+text, " \t\r\n")
	h.giveUp()
	return h.add(entry)
}

// giveUp drops the incomplete entry.
func (h *history) giveUp() { h.typed = "" }

// keep puts an entry at the end of the list. It removes an older entry with the same
// text.
func (h *history) keep(entry string) {
	if strings.TrimSpace(entry) == "" {
		return
	}
	if i := slices.Index(h.entries, entry); i >= 0 {
		h.entries = slices.Delete(h.entries, i, i+1)
	}
	h.entries = append(h.entries, entry)
	if extra := len(h.entries) - historyLimit; extra > 0 {
		h.entries = slices.Delete(h.entries, 0, extra)
	}
}

// add puts an entry at the end of the list. It also appends the entry to the file,
// unless the entry is the same as the last.
func (h *history) add(entry string) error {
	again := len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry
	h.keep(entry)
	if h.path == "" || again || strings.TrimSpace(entry) == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	private := atomicfile.Tighten(h.path)
	_, err = f.WriteString(escape(entry) + "\n") // a single write, because other prompts append to the file, too
	return errors.Join(private, err, f.Close())
}

func escape(entry string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(entry)
}

func unescape(line string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(line)
}
