package sandbox

import (
	"errors"
	"os"
)

// pipe holds both ends of a pipe.
type pipe struct{ read, write *os.File }

// pipes are a worker's stdin, stdout and stderr.
type pipes struct{ stdin, stdout, stderr pipe }

func newPipes() (p *pipes, err error) {
	p = &pipes{}
	for _, one := range []*pipe{&p.stdin, &p.stdout, &p.stderr} {
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.closeTheirs()
			p.closeOurs()
			return nil, err
		}
	}
	widen(p.stdin.write)
	widen(p.stdout.read)
	return p, nil
}

// closeTheirs closes the worker's ends.
func (p *pipes) closeTheirs() {
	_ = errors.Join(p.stdin.read.Close(), p.stdout.write.Close(), p.stderr.write.Close())
}

// closeOurs closes the parent's ends.
func (p *pipes) closeOurs() {
	_ = errors.Join(p.stdin.write.Close(), p.stdout.read.Close(), p.stderr.read.Close())
}
