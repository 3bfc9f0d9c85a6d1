package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/uuid"

	"hindsql/internal/atomicfile"
)

const about = `# Who this machine is: hindsql made this file, see "hindsql machine". Its rows are told by the id.
`

// read reads the file. One that is torn names no machine, and no other id is made
// in its place: the machine would be a stranger to its own rows.
func read(path string) (m Machine, err error) {
	text, err := os.ReadFile(path)
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

// claim writes a file that isn't there yet. The error is fs.ErrExist where
// another process was first.
func claim(path string, m Machine) error {
	text, err := m.text()
	if err != nil {
		return err
	}
	return atomicfile.WriteNew(path, text)
}

// How long a process that changes the file is waited for, and after how long it is
// held for dead.
const (
	patience = 5 * time.Second
	deadline = 30 * time.Second
)

// change has one process at a time read the file, and write it as edit leaves it.
func change(path string, edit func(*Machine) error) (m Machine, err error) {
	turn := path + ".turn"
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
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
	defer os.Remove(turn)
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

// Rename gives the machine a name for people, with which new rows come; empty
// for that of the host. The file has to be there.
func Rename(o Options, name string) (Machine, error) {
	return change(o.Path(), func(m *Machine) error {
		m.Name = name
		return nil
	})
}

// Renew gives the machine another id. The file has to be there.
func Renew(o Options) (Machine, error) {
	return change(o.Path(), func(m *Machine) error { return m.renew(o.systemID()) })
}

// wasAskedToday says that the system's id, which takes long to ask for, was the
// file's within a day; else it notes that it is asked now.
func (o *Options) wasAskedToday(path string) bool {
	if !o.IsSlow {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()).Abs() < 24*time.Hour {
		return err == nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // where it can't, it is asked again
	return false
}
