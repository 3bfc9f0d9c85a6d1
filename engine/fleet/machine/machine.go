// Package machine identifies this machine by an id. The id is made once, and kept in
// the user's configuration with a hash of the operating system's own id. So the id
// survives the loss of the store, and a home copied to another machine gets a new id.
//
// In: a folder, and facts about the system. Out: a [Machine]. The package writes one
// file and reads no logs.
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

// Machine is the content of the file.
type Machine struct {
	ID     string    `toml:"id"`      // a UUID; UUIDs of version 7 sort by creation time
	Name   string    `toml:"name"`    // for people; empty for the host's name
	OS     string    `toml:"os"`      // hash of the id and the system's own id; empty if the system's is unknown
	MadeAt time.Time `toml:"made_at"` // UTC; zero for an id without a file
	Former []Former  `toml:"former,omitempty"`
}

// Former is an earlier id of the file.
type Former struct {
	ID string `toml:"id"`
	OS string `toml:"os"`
}

// Options hold the file's folder, and facts about this machine.
type Options struct {
	Folder   string        // folder of the file, created with mode 0700; empty if no file is possible
	SystemID func() string // returns the operating system's id, or "" if unknown; see [SystemID]
	IsSlow   bool          // SystemID is slower than reading a file; Load then calls it once a day
	Hostname string
	User     string
}

// Path returns the path of the file, empty without a folder.
func (o *Options) Path() string {
	if o.Folder == "" {
		return ""
	}
	return filepath.Join(o.Folder, FileName)
}

// Load returns the machine's id, and makes an id if the file is missing. notice is a
// message for the user, empty if none. If the file can't be written, Load derives a
// constant id from the system's id or host name, and the user's name. If the file can't
// be read, Load returns an error and makes no other id.
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

// first creates the file, unless another process does so at the same time.
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
		return o.derived(), nil // for example in a read-only home
	}
	return read(path)
}

// moved gives a copied home a new id. If the home returned to a former system, moved
// restores the id of that system.
func (o *Options) moved(path, system string) (m Machine, notice string, err error) {
	m, err = change(path, func(m *Machine) error {
		if !m.isElsewhere(system) {
			return nil // another process already changed the id
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

// made returns a machine with a new id.
func made(system string) (Machine, error) {
	id, err := uuid.NewV7()
	return Machine{ID: id.String(), OS: hash(id.String(), system), MadeAt: time.Now().UTC().Truncate(time.Second)}, err
}

// renew gives a machine a new id, and adds the old id to Former.
func (m *Machine) renew(system string) error {
	next, err := made(system)
	if err == nil {
		next.Former = append(m.Former, Former{m.ID, m.OS})
		*m = next
	}
	return err
}

// derived returns the id of a machine that can't store an id.
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

// isElsewhere reports whether the id was made on another system. An unknown system
// counts as the same.
func (m *Machine) isElsewhere(system string) bool {
	return m.OS != "" && system != "" && m.OS != hash(m.ID, system)
}

// hash hides the system's id, because the id isn't secret.
func hash(id, system string) string {
	if system == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id + "\x00" + system))
	return hex.EncodeToString(sum[:16])
}
