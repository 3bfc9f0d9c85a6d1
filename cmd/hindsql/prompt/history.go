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
)

const (
	historyLimit = 1000    // entries that the user can call back
	historyTail  = 1 << 20 // bytes read from the file's end
)

// history holds the typed entries. Its file has one entry a line. Prompts only append
// to the file, to keep each other's entries.
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

// tailLines returns the whole lines in the last limit bytes of a file, or none if the
// file doesn't exist.
func tailLines(path string, limit int64) ([]string, error) {
	f, err := os.Open(path)
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
			return nil, nil // a single line fills the whole tail
		}
	}
	text, err := io.ReadAll(r)
	return strings.Split(string(text), "\n"), err
}

// note collects the typed text. in holds the lines before the text. The text becomes
// one entry when the last statement in the text ends. A command amid a statement
// becomes an entry of its own if it leaves the statement unchanged.
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

// giveUp drops the entry that is still being typed.
func (h *history) giveUp() { h.typed = "" }

// keep puts an entry at the end, and removes an older entry with the same text.
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

// add keeps an entry. It also appends the entry to the file, unless it repeats the last
// entry.
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
	_, err = f.WriteString(escape(entry) + "\n") // in one write, as other prompts append to the file, too
	return errors.Join(private, err, f.Close())
}

func escape(entry string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(entry)
}

func unescape(line string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(line)
}
