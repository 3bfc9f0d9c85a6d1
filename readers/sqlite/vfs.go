package sqlite

import (
	"context"
	"database/sql"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	"modernc.org/sqlite/vfs"
)

// states is a read-only file system for SQLite. Its files are snapshots: a journal or a
// write-ahead log is already included.
type states struct {
	last  atomic.Int64
	names sync.Map // name → *snapshot
}

var ours states

// registered returns SQLite's name of the file system, which stays registered until the
// program ends.
var registered = sync.OnceValues(func() (string, error) {
	name, _, err := vfs.New(&ours)
	return name, err
})

func (st *states) Open(name string) (fs.File, error) {
	s, ok := st.names.Load(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	whole := s.(*snapshot)
	return &handle{io.NewSectionReader(whole, 0, whole.size)}, nil
}

type handle struct{ *io.SectionReader }

func (h *handle) Stat() (fs.FileInfo, error) { return sized(h.Size()), nil }
func (h *handle) Close() error               { return nil }

// settings are the options of a connection. immutable is correct because a snapshot
// never changes and includes the -wal. For the bare database file on the disk,
// immutable would be wrong. The other settings forbid temporary files, and code named
// by a hostile schema.
var settings = strings.Join([]string{
	"mode=ro", "immutable=1", "_pragma=temp_store(2)", "_pragma=trusted_schema(0)", "_pragma=cell_size_check(1)", "_pragma=query_only(1)",
}, "&")

// connect opens SQLite on the snapshot, with as many connections as parallel readers.
func (s *snapshot) connect() error {
	system, err := registered()
	if err != nil {
		return err
	}
	s.name = strconv.FormatInt(ours.last.Add(1), 10)
	c, err := sqlite.NewConnector("file:" + s.name + "?vfs=" + system + "&" + settings)
	if err != nil {
		return err
	}
	ours.names.Store(s.name, s)
	s.pool = sql.OpenDB(c)
	s.pool.SetMaxIdleConns(idleConnections)
	return nil
}

const idleConnections = 4

// connection lends one of the snapshot's connections to use.
func (s *snapshot) connection(use func(*sql.Conn) error) error {
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
		ours.names.Delete(s.name)
	}
	s.closeFiles()
}
