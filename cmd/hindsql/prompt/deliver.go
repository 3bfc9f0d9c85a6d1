package prompt

import (
	"cmp"
	"io"
	"strings"

	"hindsql/cmd/hindsql/render"
	"hindsql/readers/files"
)

// deliver calls write with the file of .once or .output, or else with the
// terminal. There, a result longer than the screen goes through the pager.
func (p *Prompt) deliver(write func(*render.Output) error) error {
	switch {
	case p.quiet:
		return write(p.to(io.Discard, ""))
	case p.once != "":
		path := p.once
		p.once = ""
		if line, ok := strings.CutPrefix(path, "|"); ok {
			return p.pipeTo(line, write)
		}
		return p.deliverTo(path, write)
	case p.output != nil:
		return write(p.to(p.output, p.output.Name()))
	case p.Results != nil:
		return p.deliverBehind(write)
	case p.screen == nil || p.depth > 0 || p.watching:
		return write(p.to(p.Out, ""))
	}
	_, lines := p.screen.Size()
	return p.Tools.Pager.Page(p.Out, lines, p.lend, func(w io.Writer) error {
		to := p.to(w, "")
		p.Tools.Pager.Tell(&to.Options, lines)
		return write(to)
	})
}

// deliverBehind writes a script's result, behind those that it wrote before.
func (p *Prompt) deliverBehind(write func(*render.Output) error) error {
	to := p.to(p.Results.Writer, p.Results.File)
	to.Behind = p.written
	err := write(to)
	p.written = to.Behind
	return err
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

func (p *Prompt) lend() (resume func()) {
	if p.screen == nil {
		return func() {}
	}
	return p.screen.Lend()
}
