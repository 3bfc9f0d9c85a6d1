package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/uuid"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

const about = `# Who this machine is: hindsql made this file, see "hindsql machine". Its rows are told by the id.
`

// read reads the file. A torn file is an error, and no new id is made: the machine
// would no longer recognise its own rows.
func read(path string) (m Machine, err error) {
	text, err := regular.Read(path, regular.Own)
	if _, lost := os.Lstat(path); err != nil && lost != nil {
		return m, fs.ErrNotExist
	}
	if err == nil {
		_, err = toml.Decode(string(text), &m)
	}
	if id, wrong := uuid.Parse(m.ID); err == nil && (wrong != nil || id.String() != m.ID) {
		err = fmt.Errorf("id %q: no UUID", m.ID)
	}
	if err == nil && m.MadeAt.IsZero() {
		err = errors.New("it is cut off before made_at")
	}
	if err != nil {
		return m, fmt.Errorf("machine: %s can't be read: %w; it says who this machine is: mend it, or remove it to be a new machine, whose logs are loaded anew", path, err)
	}
	return m, nil
}

func (m *Machine) text() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(about)
	err := toml.NewEncoder(&out).Encode(m)
	return out.Bytes(), err
}

// claim writes a new file. It returns fs.ErrExist if another process created the file
// first.
func claim(path string, m Machine) error {
	text, err := m.text()
	if err != nil {
		return err
	}
	return atomicfile.WriteNew(path, text)
}

// patience is how long to wait for another process that changes the file. deadline is
// the age at which such a process counts as dead.
const (
	patience = 5 * time.Second
	deadline = 30 * time.Second
)

// change lets one process at a time read and edit the file.
func change(path string, edit func(*Machine) error) (m Machine, err error) {
	turn := path + ".turn"
	for start := time.Now(); ; time.Sleep(rand.N(100 * time.Millisecond)) { // a random pause, so that processes try at different moments
		if err = atomicfile.WriteNew(turn, nil); !errors.Is(err, fs.ErrExist) {
			break
		}
		if info, lost := os.Stat(turn); lost == nil && time.Since(info.ModTime()) > deadline {
			_ = os.Remove(turn)
		} else if time.Since(start) > patience {
			return m, fmt.Errorf("machine: another process changes %s; try again, or remove %s", path, turn)
		}
	}
	if err != nil {
		return m, fmt.Errorf("machine: %s: %w", path, err)
	}
	defer atomicfile.Remove(turn) //nolint:errcheck // a turn left behind ends at its deadline
	if m, err = read(path); err != nil {
		return m, err
	}
	before, err := m.text()
	if err == nil {
		err = edit(&m)
	}
	if err != nil {
		return m, err
	}
	after, err := m.text()
	if err == nil && !bytes.Equal(before, after) {
		err = atomicfile.Write(path, after)
	}
	return m, err
}

// Rename gives the machine a name for people, which new rows carry. An empty name means
// the host's. The file must exist.
func Rename(o Options, name string) (Machine, error) {
	return change(o.Path(), func(m *Machine) error {
		m.Name = name
		return nil
	})
}

// Renew gives the machine a new id. The file must exist.
func Renew(o Options) (Machine, error) {
	return change(o.Path(), func(m *Machine) error { return m.renew(o.systemID()) })
}

// wasAskedToday reports whether the slow query for the system's id ran within a day. If
// not, wasAskedToday notes that the query runs now.
func (o *Options) wasAskedToday(path string) bool {
	if !o.IsSlow {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()).Abs() < 24*time.Hour {
		return err == nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // if this fails, the next process asks again
	return false
}
