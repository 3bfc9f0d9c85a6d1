package sandbox

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"hindsql/internal/regular"
)

// bound is the parent's view of a worker's memory: the file with its sizes, in pages.
type bound struct{ sizes *os.File }

func newBound(p *os.Process, _ int64) (*bound, error) {
	sizes, err := regular.Open(fmt.Sprintf("/proc/%d/statm", p.Pid))
	if err != nil {
		return nil, fmt.Errorf("its memory can't be watched: %w", err)
	}
	return &bound{sizes}, nil
}

func (b *bound) release() { _ = b.sizes.Close() }

func (b *bound) look() (s size, err error) {
	var text [256]byte
	n, err := b.sizes.ReadAt(text[:], 0)
	if n == 0 {
		return s, err
	}
	s, _, err = readSizes(string(text[:n]))
	return s, err
}

// readSizes reads a statm. shared is the part of resident memory that belongs to files.
func readSizes(text string) (s size, shared int64, err error) {
	var all, code, libraries int64
	if _, err := fmt.Sscan(text, &all, &s.resident, &shared, &code, &libraries, &s.asked); err != nil {
		return s, 0, fmt.Errorf("statm: %w", err)
	}
	page := int64(os.Getpagesize())
	return size{s.resident * page, s.asked * page}, shared * page, nil
}

// confine sets the worker's bounds. The 100 MB or so reserved by Go at its start, but
// never touched, don't count.
func confine(arguments []string) error {
	o, err := readBounds(arguments)
	if err != nil {
		return err
	}
	text, err := regular.Read("/proc/self/statm", regular.Own)
	if err != nil {
		return err
	}
	s, shared, err := readSizes(string(text))
	if err != nil {
		return err
	}
	untouched := max(0, s.asked-(s.resident-shared))
	signal.Ignore(syscall.SIGXFSZ) // the write of a file that is too long then returns an error
	for _, b := range []struct {
		name  string
		which int
		most  int64
	}{
		{"RLIMIT_DATA", syscall.RLIMIT_DATA, o.Memory + untouched},
		{"RLIMIT_FSIZE", syscall.RLIMIT_FSIZE, o.Disk},
		{"RLIMIT_CORE", syscall.RLIMIT_CORE, 0},
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(b.which, &now); err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		most := min(uint64(b.most), now.Max) // the user's own limit may be lower
		if err := syscall.Setrlimit(b.which, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("%s of %d: %w", b.name, most, err)
		}
	}
	return nil
}
