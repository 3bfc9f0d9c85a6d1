package prompt

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// defaultPager chops long lines, keeps colours, leaves when all fits on the
// screen, and leaves the screen as it is.
const defaultPager = "less -SRFX"

// deliver has a result written to the file of .once or .output, or else to the
// terminal, through the pager if it is longer than the screen.
func (p *Prompt) deliver(write func(Target) error) error {
	switch {
	case p.once != "":
		path := p.once
		p.once = ""
		return p.deliverTo(path, write)
	case p.output != nil:
		return write(Target{p.output, p.output.Name()})
	case p.Screen == nil || p.depth > 0 || p.Getenv("TERM") == "dumb":
		return write(Target{p.Out, ""})
	}
	_, lines := p.Screen()
	if lines == 0 {
		return write(Target{p.Out, ""}) // a terminal that doesn't know its size
	}
	page := &pager{prompt: p, limit: lines - 1}
	return cmp.Or(write(Target{page, ""}), page.end())
}

func (p *Prompt) deliverTo(path string, write func(Target) error) error {
	f, err := p.Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := write(Target{f, path}); err != nil {
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
		return p.prompt.Out.Write(text)
	}
	p.held.Write(text)
	if p.lines += bytes.Count(text, []byte("\n")); p.lines > p.limit {
		p.start()
		return len(text), p.flush()
	}
	return len(text), nil
}

func (p *pager) flush() error {
	var to io.Writer = p.prompt.Out
	if p.to != nil {
		to = p.to
	}
	_, err := p.held.WriteTo(to)
	return err
}

func (p *pager) start() {
	command := p.prompt.Getenv("PAGER")
	if strings.TrimSpace(command) == "" {
		command = defaultPager
	}
	if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil {
		p.failed = true
		return
	}
	p.cmd = program(command)
	p.cmd.Stdout, p.cmd.Stderr = os.Stdout, os.Stderr
	if p.prompt.Getenv("LESS") == "" {
		p.cmd.Env = append(os.Environ(), "LESS=SRFX")
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
		_ = p.cmd.Wait() // how a pager was left says nothing
	}
	if p.resume != nil {
		p.resume()
	}
	return err
}

func (p *Prompt) lend() (resume func()) {
	if p.Lend == nil {
		return func() {}
	}
	return p.Lend()
}

// program is a command line of the user's, such as that in $EDITOR, with
// arguments behind it.
func program(line string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(line), args...)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", append([]string{"-c", line + ` "$@"`, "sh"}, args...)...)
}
