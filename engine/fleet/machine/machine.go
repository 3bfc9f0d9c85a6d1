// Package machine says who this machine is: an id that is made once, and kept in
// the user's configuration beside a hash of the operating system's own id. So a
// lost store keeps it, and a home that was copied to another machine gets one of
// its own.
//
// In: a folder, and what the system says of itself. Out: a [Machine]. The package
// writes the one file, and knows nothing of logs.
package machine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// FileName is the name of the file in its folder.
const FileName = "machine.toml"

// Machine is what the file says.
type Machine struct {
	ID     string    `toml:"id"`      // a UUID; those of version 7 sort by when they were made
	Name   string    `toml:"name"`    // for people; empty for the host's
	OS     string    `toml:"os"`      // a hash of the id and the system's own one; empty where that isn't known
	MadeAt time.Time `toml:"made_at"` // UTC; zero for an id that no file keeps
	Former []Former  `toml:"former,omitempty"`
}

// Former is an id that the file had before.
type Former struct {
	ID string `toml:"id"`
	OS string `toml:"os"`
}

// Options say where the file is, and what is known of this machine.
type Options struct {
	Folder   string        // of the file; it is made, with mode 0700. Empty: there is none
	SystemID func() string // the operating system's id; "" where it has none. See [SystemID]
	IsSlow   bool          // to ask for that takes longer than a file takes to read: it is asked once a day
	Hostname string
	User     string
}

// Path is where the file is; empty for nowhere.
func (o *Options) Path() string {
	if o.Folder == "" {
		return ""
	}
	return filepath.Join(o.Folder, FileName)
}

// Load gives the machine's id, and makes one where there is none. The notice is
// for the user; empty for none. Where no file can be written, the id is made of
// the system's and the user's name, the same each time. The error is that of a
// file that can't be read: no other id is made then.
func Load(o Options) (m Machine, notice string, err error) {
	path := o.Path()
	if path == "" {
		return o.derived(), "", nil
	}
	m, err = read(path)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = o.first(path)
	}
	if err != nil || o.wasAskedToday(path) {
		return m, "", err
	}
	system := o.systemID()
	if !m.isElsewhere(system) {
		return m, "", nil
	}
	return o.moved(path, system)
}

// first makes the file, unless another process does at the same time.
func (o *Options) first(path string) (Machine, error) {
	m, err := made(o.systemID())
	if err != nil {
		return m, err
	}
	err = os.MkdirAll(o.Folder, 0o700)
	if err == nil {
		err = claim(path, m)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return o.derived(), nil // such as a home that nobody can write to
	}
	return read(path)
}

// moved gives a copied home an id of its own; the one that it had before, where
// the home came back.
func (o *Options) moved(path, system string) (m Machine, notice string, err error) {
	m, err = change(path, func(m *Machine) error {
		if !m.isElsewhere(system) {
			return nil // another process was first
		}
		for i, f := range m.Former {
			if f.OS == hash(f.ID, system) {
				m.Former[i] = Former{m.ID, m.OS}
				m.ID, m.OS = f.ID, f.OS
				return nil
			}
		}
		notice = fmt.Sprintf("machine: this home was copied from another machine; here it has a new id, in %s", path)
		return m.renew(system)
	})
	if err != nil && errors.Is(err, fs.ErrPermission) {
		return o.derived(), "", nil
	}
	return m, notice, err
}

// made is a machine with a new id.
func made(system string) (Machine, error) {
	id, err := uuid.NewV7()
	return Machine{ID: id.String(), OS: hash(id.String(), system), MadeAt: time.Now().UTC().Truncate(time.Second)}, err
}

// renew gives a machine a new id, and keeps the old one among the former.
func (m *Machine) renew(system string) error {
	next, err := made(system)
	if err == nil {
		next.Former = append(m.Former, Former{m.ID, m.OS})
		*m = next
	}
	return err
}

// derived is the id of a machine that can keep none.
func (o *Options) derived() Machine {
	name := cmp.Or(o.systemID(), o.Hostname) + "\x00" + o.User
	return Machine{ID: uuid.NewSHA1(uuid.NameSpaceOID, []byte("hindsql machine\x00"+name)).String()}
}

func (o *Options) systemID() string {
	if o.SystemID == nil {
		return ""
	}
	return o.SystemID()
}

// isElsewhere says that the system is another than the one that the id was made
// on. One that isn't known is no other.
func (m *Machine) isElsewhere(system string) bool {
	return m.OS != "" && system != "" && m.OS != hash(m.ID, system)
}

// hash hides the system's id: others may know it.
func hash(id, system string) string {
	if system == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id + "\x00" + system))
	return hex.EncodeToString(sum[:16])
}
