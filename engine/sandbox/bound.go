package sandbox

import "os"

// quietCrashes has a worker that dies say why, without the stacks of all it did.
const quietCrashes = "GOTRACEBACK=none"

func (o Options) bounds() []string { return nil }

type bound struct{}

func newBound(p *os.Process, memory int64) (*bound, error) { return &bound{}, nil }
func (b *bound) release()                                  {}
func (b *bound) met(words string) bool                     { return false }
func (p *Process) watch(memory int64)                      {}
func confine(bounds []string) error                        { return nil }
func locks() []Lock                                        { return nil }
