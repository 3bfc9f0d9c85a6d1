// Package machine identifies this machine by an id. The id is made once, and kept in
// the user's configuration with a hash of the operating system's own id. So the id
// survives the loss of the store, and a home copied to another machine gets a new id.
//
// In: a folder, and facts about the system. Out: a [Machine]. The package writes one
// file and reads no logs.
package machine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/google/uuid"

	"hindsql/internal/atomicfile"
	"hindsql/internal/pattern"
	"hindsql/internal/regular"
)

// fileName is the name of the file in its folder.
const fileName = "machine.toml"

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
	return filepath.Join(o.Folder, fileName)
}

// Load returns the machine's id, and makes an id if the file is missing. notice is a
// message for the user, empty if none. If the file can't be written, Load derives a
// constant id from the system's id or host name, and the user's name. If the file can't
// be read, Load returns an error and makes no other id.
func Load(o Options) (m Machine, notice string, err error) {
	path := o.Path()
	if path == "" {
		return o.derive(), "", nil
	}
	m, err = read(path)
	if errors.Is(err, fs.ErrNotExist) {
		m, err = o.create(path)
	}
	if err != nil || o.wasAskedToday(path) {
		return m, "", err
	}
	system := o.systemID()
	if !m.isElsewhere(system) {
		return m, "", nil
	}
	return o.renewIfCopied(path, system)
}

// create creates the file, unless another process does so at the same time.
func (o *Options) create(path string) (Machine, error) {
	m, err := newMachine(o.systemID())
	if err != nil {
		return m, err
	}
	err = os.MkdirAll(o.Folder, 0o700)
	if err == nil {
		err = claim(path, m)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return o.derive(), nil // for example in a read-only home
	}
	return read(path)
}

// renewIfCopied gives a copied home a new id. If the home returned to a former system,
// renewIfCopied restores the id of that system.
func (o *Options) renewIfCopied(path, system string) (m Machine, notice string, err error) {
	m, err = update(path, func(m *Machine) error {
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
		return o.derive(), "", nil
	}
	return m, notice, err
}

// newMachine returns a machine with a new id.
func newMachine(system string) (Machine, error) {
	id, err := uuid.NewV7()
	return Machine{ID: id.String(), OS: hash(id.String(), system), MadeAt: time.Now().UTC().Truncate(time.Second)}, err
}

// renew gives a machine a new id, and adds the old id to Former.
func (m *Machine) renew(system string) error {
	next, err := newMachine(system)
	if err == nil {
		next.Former = append(m.Former, Former{m.ID, m.OS})
		*m = next
	}
	return err
}

// derive returns the id of a machine that can't store an id.
func (o *Options) derive() Machine {
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

// update lets one process at a time read and edit the file.
func update(path string, edit func(*Machine) error) (m Machine, err error) {
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
	return update(o.Path(), func(m *Machine) error {
		m.Name = name
		return nil
	})
}

// Renew gives the machine a new id. The file must exist.
func Renew(o Options) (Machine, error) {
	return update(o.Path(), func(m *Machine) error { return m.renew(o.systemID()) })
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

// SystemID returns a function that asks the operating system for its id. system is a
// name from runtime.GOOS. isSlow means that the function runs a program.
func SystemID(system string) (ask func() string, isSlow bool) {
	switch system {
	case "darwin":
		return func() string { return inText(platformID, outputOf("ioreg", "-rd1", "-c", "IOPlatformExpertDevice")) }, true
	case "windows":
		return func() string {
			return inText(machineGUID, outputOf("reg", "query", `HKLM\SOFTWARE\Microsoft\Cryptography`, "/v", "MachineGuid"))
		}, true
	}
	return func() string { return inFiles("/etc/machine-id", "/var/lib/dbus/machine-id") }, false
}

var (
	platformID  = pattern.Lazy(`"IOPlatformUUID"\s*=\s*"([^"]+)"`)
	machineGUID = pattern.Lazy(`MachineGuid\s+REG_SZ\s+(\S+)`)
)

func inText(form *pattern.Pattern, text string) string {
	if m := form.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// inFiles returns the first id found in the files. "uninitialized" means that the
// system has no id yet.
func inFiles(paths ...string) string {
	for _, p := range paths {
		text, err := regular.Read(p, regular.Own)
		if id := strings.TrimSpace(string(text)); err == nil && id != "" && id != "uninitialized" {
			return id
		}
	}
	return ""
}

// outputOf returns a system program's output, or "" if the program fails.
func outputOf(program string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return ""
	}
	return string(out)
}
