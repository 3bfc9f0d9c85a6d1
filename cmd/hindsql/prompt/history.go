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
	historyLimit = 1000    // entries that can be called back
	historyTail  = 1 << 20 // bytes of the file that are read
)

// history holds what was typed, in a file with an entry on each line. The file
// is only appended to, so that several prompts keep each other's entries.
type history struct {
	path    string   // empty: nothing is kept
	entries []string // the oldest first, none twice
	typed   string   // the entry that is still being written
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

// tailLines are the whole lines in the last bytes of a file; none when it
// isn't there.
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
			return nil, nil // one line that is longer than all that is read
		}
	}
	text, err := io.ReadAll(r)
	return strings.Split(string(text), "\n"), err
}

// note collects what is typed behind other lines, which in has. It becomes one entry
// when its last statement ends; a command that comes in between, and leaves the
// statement as it is, is an entry of its own.
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

// giveUp drops the entry that is still being written.
func (h *history) giveUp() { h.typed = "" }

// keep puts an entry at the end, and removes an older one with the same text.
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

// add keeps an entry, and appends it to the file unless it was the last one.
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
	_, err = f.WriteString(escape(entry) + "\n") // in one write, as other prompts append too
	return errors.Join(private, err, f.Close())
}

func escape(entry string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(entry)
}

func unescape(line string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(line)
}
