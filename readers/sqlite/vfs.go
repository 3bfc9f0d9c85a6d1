package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vfs"
)

// snapshotFS is a read-only file system for SQLite. Its files are snapshots: a journal or a
// write-ahead log is already included.
type snapshotFS struct {
	last  atomic.Int64
	names sync.Map // name → *snapshot
}

var snapshots snapshotFS

// registeredVFS returns SQLite's name of the file system, which stays registered until the
// program ends.
var registeredVFS = sync.OnceValues(func() (string, error) {
	name, _, err := vfs.New(&snapshots)
	return name, err
})

func (st *snapshotFS) Open(name string) (fs.File, error) {
	s, ok := st.names.Load(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	whole := s.(*snapshot)
	return &snapshotFile{io.NewSectionReader(whole, 0, whole.size)}, nil
}

type snapshotFile struct{ *io.SectionReader }

func (h *snapshotFile) Stat() (fs.FileInfo, error) { return sized(h.Size()), nil }
func (h *snapshotFile) Close() error               { return nil }

// settings are the options of a connection. immutable is correct because a snapshot
// never changes and includes the -wal. For the bare database file on the disk,
// immutable would be wrong. The other settings forbid temporary files, and code named
// by a hostile schema.
var settings = strings.Join([]string{
	"mode=ro", "immutable=1", "_pragma=temp_store(2)", "_pragma=trusted_schema(0)", "_pragma=cell_size_check(1)", "_pragma=query_only(1)",
}, "&")

// connect opens SQLite on the snapshot, with as many connections as parallel readers.
func (s *snapshot) connect() error {
	system, err := registeredVFS()
	if err != nil {
		return err
	}
	s.name = strconv.FormatInt(snapshots.last.Add(1), 10)
	c, err := sqlite.NewConnector("file:" + s.name + "?vfs=" + system + "&" + settings)
	if err != nil {
		return err
	}
	snapshots.names.Store(s.name, s)
	s.pool = sql.OpenDB(c)
	s.pool.SetMaxIdleConns(idleConnections)
	return nil
}

const idleConnections = 4

// withConnection lends one of the snapshot's connections to use.
func (s *snapshot) withConnection(use func(*sql.Conn) error) error {
	c, err := s.pool.Conn(context.Background())
	if err != nil {
		return err
	}
	defer c.Close()
	return use(c)
}

func (s *snapshot) close() {
	if s.pool != nil {
		s.pool.Close()
		snapshots.names.Delete(s.name)
	}
	s.closeFiles()
}

// Make builds a database from SQL statements and returns the bytes of its file. The
// sample stores databases as SQL text. The same text gives the same bytes.
func Make(statements []byte) ([]byte, error) {
	c, err := sqlite.NewConnector(":memory:")
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	defer db.Close()
	one, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	defer one.Close()
	if _, err := one.ExecContext(context.Background(), string(statements)); err != nil {
		return nil, err
	}
	var data []byte
	err = one.Raw(func(raw any) (err error) {
		s, ok := raw.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return errors.New("the driver gives no bytes")
		}
		data, err = s.Serialize()
		return err
	})
	return data, err
}
