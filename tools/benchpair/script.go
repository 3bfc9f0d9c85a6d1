package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// step is a statement of a script.
type step struct {
	sql    string
	before func() error // called while the program waits to run the statement; may be nil
}

// steps runs statements in one process, and returns the usage of each.
//
// The program reads a script whole, and doesn't wait between statements. So a long text
// is selected between them, longer than the pipe of the answers: the program stops in
// the text's middle until the text is read. The cost of such a text is measured first,
// and subtracted.
func (st *store) steps(ctx context.Context, flags []string, list []step) ([]usage, error) {
	const blank, bare = 1 << 18, 3 // a pipe holds 1<<16 bytes
	mark := fmt.Sprintf("mark-%d", time.Now().UnixNano())
	text := fmt.Sprintf("SELECT '%s' || repeat('=', %d) AS step;\n", mark, blank)
	script := strings.Repeat(text, bare+1)
	for _, s := range list {
		script += s.sql + "\n" + text
	}
	path := filepath.Join(st.home, "script.sql")
	if err := write(path, []byte(script)); err != nil {
		return nil, err
	}
	cmd := st.command(ctx, append(flags, "--format", "csv", "--file", path)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &waits{from: bufio.NewReader(pipe), mark: []byte(mark), blank: blank, pid: cmd.Process.Pid}
	laps, err := w.laps(bare, list)
	if err == nil {
		_, err = io.Copy(io.Discard, w.from)
	} else {
		_ = cmd.Process.Kill()
	}
	if end := cmd.Wait(); err != nil || end != nil {
		return nil, fmt.Errorf("%v: %w, %w\n%s", cmd.Args, err, end, tail(said.Bytes(), 2000))
	}
	return laps, os.Remove(path)
}

// waits reads the answers of a script.
type waits struct {
	from  *bufio.Reader
	mark  []byte
	blank int
	pid   int
}

// laps returns the usage of each statement, less that of the texts between them.
func (w *waits) laps(bare int, list []step) ([]usage, error) {
	if err := w.next(); err != nil {
		return nil, err
	}
	p, err := watch(w.pid)
	if err != nil {
		return nil, err
	}
	var texts, laps []usage
	for i := range bare + len(list) {
		if i >= bare && list[i-bare].before != nil {
			if err := list[i-bare].before(); err != nil {
				return nil, err
			}
			p.begin = time.Now()
		}
		if _, err := w.from.Discard(w.blank); err != nil {
			return nil, err
		}
		if err := w.next(); err != nil {
			return nil, err
		}
		lap, err := p.lap()
		if err != nil {
			return nil, err
		}
		if lap.memory = 0; i < bare {
			texts = append(texts, lap)
		} else {
			laps = append(laps, lap)
		}
	}
	between := middle(texts)
	for i := range laps {
		laps[i].cpu, laps[i].wall = max(0, laps[i].cpu-between.cpu), max(0, laps[i].wall-between.wall)
	}
	return laps, nil
}

// next reads up to the next mark, its end included.
func (w *waits) next() error {
	for found := 0; found < len(w.mark); {
		c, err := w.from.ReadByte()
		switch {
		case err != nil:
			return fmt.Errorf("the script ended early: %w", err)
		case c == w.mark[found]:
			found++
		case c == w.mark[0]:
			found = 1
		default:
			found = 0
		}
	}
	return nil
}

// middle returns the medians of usages.
func middle(list []usage) usage {
	var all [3][]float64
	for _, u := range list {
		for i, f := range []float64{float64(u.cpu), float64(u.wall), float64(u.memory)} {
			all[i] = append(all[i], f)
		}
	}
	return usage{time.Duration(median(all[0])), time.Duration(median(all[1])), int64(median(all[2]))}
}

// median returns the middle of some numbers, between the two middle ones if they are
// even, and 0 if there are none.
func median(list []float64) float64 {
	n := len(list)
	if n == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return (list[(n-1)/2] + list[n/2]) / 2
}
