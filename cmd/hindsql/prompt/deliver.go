package prompt

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"hindsql/cmd/hindsql/render"
	"hindsql/readers/files"
)

// deliver calls write with the file of .once or .output, or else with the
// terminal. There, a result longer than the screen goes through the pager.
func (p *Prompt) deliver(write func(*render.Output) error) error {
	switch {
	case p.once != "":
		path := p.once
		p.once = ""
		return p.deliverTo(path, write)
	case p.output != nil:
		return write(p.to(p.output, p.output.Name()))
	case p.screen == nil || p.depth > 0 || p.Tools.Pager == "":
		return write(p.to(p.Out, ""))
	}
	_, lines := p.screen.Size()
	if lines == 0 {
		return write(p.to(p.Out, "")) // a terminal that doesn't know its size
	}
	page := &pager{prompt: p, limit: lines - 1}
	return cmp.Or(write(p.to(render.Before(page, p.Out), "")), page.end())
}

// columns is the width of the terminal.
func (p *Prompt) columns() int {
	if p.screen == nil {
		return p.Width
	}
	columns, _ := p.screen.Size()
	return cmp.Or(columns, p.Width)
}

func (p *Prompt) deliverTo(path string, write func(*render.Output) error) error {
	f, err := files.Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := write(p.to(f, path)); err != nil {
		return err
	}
	return f.Commit()
}

func (p *Prompt) closeOutput() {
	if p.output != nil {
		p.report(p.output.Close())
		p.output = nil
	}
}

// pager holds text back until it is longer than the screen, and then starts
// the user's pager.
type pager struct {
	prompt *Prompt
	limit  int // lines
	held   bytes.Buffer
	lines  int
	to     io.WriteCloser // the pager; nil before it was started
	cmd    *exec.Cmd
	failed bool // there is no such program
	resume func()
}

func (p *pager) Write(text []byte) (int, error) {
	switch {
	case p.to != nil:
		return p.to.Write(text)
	case p.failed:
		return render.Behind(p.prompt.Out).Write(text)
	}
	p.held.Write(text)
	if p.lines += bytes.Count(text, []byte("\n")); p.lines > p.limit {
		p.start()
		return len(text), p.flush()
	}
	return len(text), nil
}

func (p *pager) flush() error {
	to := render.Behind(p.prompt.Out)
	if p.to != nil {
		to = p.to
	}
	_, err := p.held.WriteTo(to)
	return err
}

func (p *pager) start() {
	tools := p.prompt.Tools
	if _, err := exec.LookPath(strings.Fields(tools.Pager)[0]); err != nil {
		p.failed = true
		return
	}
	p.cmd = program(tools.Pager)
	p.cmd.Stdout, p.cmd.Stderr = os.Stdout, os.Stderr
	if tools.Less != "" {
		p.cmd.Env = append(os.Environ(), "LESS="+tools.Less)
	}
	to, err := p.cmd.StdinPipe()
	if err == nil {
		p.resume = p.prompt.lend()
		err = p.cmd.Start()
	}
	if p.failed = err != nil; p.failed {
		p.prompt.report(err)
		return
	}
	p.to = to
}

// end waits until the user leaves the pager.
func (p *pager) end() error {
	err := p.flush()
	if p.to != nil {
		p.to.Close()
		_ = p.cmd.Wait() // the exit code of a pager means nothing
	}
	if p.resume != nil {
		p.resume()
	}
	return err
}

func (p *Prompt) lend() (resume func()) {
	if p.screen == nil {
		return func() {}
	}
	return p.screen.Lend()
}

// program runs a command line of the user's, such as that in $EDITOR, with further
// arguments.
func program(line string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(line), args...)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", append([]string{"-c", line + ` "$@"`, "sh"}, args...)...)
}
