package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
)

// download is a file format in which users can get a result.
type download struct {
	format, title, kind string
	inline              bool // browsers show the file
}

// downloads lists all file formats. The URLs of files end in the format's name.
var downloads = []download{
	{"csv", "CSV", "text/csv; charset=utf-8", false},
	{"json", "JSON", "application/json", true},
	{"ndjson", "NDJSON", "application/x-ndjson", false},
	{"parquet", "Parquet", "application/vnd.apache.parquet", false},
}

// downloadOf returns the download with a format's name, or nil.
func downloadOf(format string) *download {
	for i := range downloads {
		if downloads[i].format == format {
			return &downloads[i]
		}
	}
	return nil
}

// parted splits a name with a format at its end: weekly.csv becomes weekly and the
// download for CSV. Without a format at the end, it returns the whole name and nil.
func parted(name string) (string, *download) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return name, nil
	}
	if d := downloadOf(name[at+1:]); d != nil {
		return name[:at], d
	}
	return name, nil
}

// offered returns links to a result's files. url makes the URL of each format.
func offered(url func(format string) string) (list []place) {
	for _, d := range downloads {
		list = append(list, place{URL: url(d.format), Name: d.title})
	}
	return list
}

// send sends the whole result as a file. An error means that nothing was sent. If the
// statement fails after a part was sent, send aborts the connection. Otherwise the
// client would take the part for the whole file.
func (st *question) send(ctx context.Context, w http.ResponseWriter, session *ask.Session, d *download) error {
	to := &late{to: w, begin: func() {
		w.Header().Set("Content-Type", d.kind)
		if !d.inline {
			w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": st.file + "." + d.format}))
		}
	}}
	err := st.write(ctx, to, session, d)
	switch {
	case err == nil:
		_ = to.flush() // an error means that the client is gone
		return nil
	case to.begun:
		panic(http.ErrAbortHandler)
	}
	return err
}

func (st *question) write(ctx context.Context, to *late, session *ask.Session, d *download) error {
	if d.format == term.Parquet {
		return session.Parquet(ctx, st.Statement, to)
	}
	format, err := term.ByName(d.format)
	if err != nil {
		return err
	}
	one := st.Statement
	one.One = true // a file holds one result
	return session.Run(ctx, one, func(a *ask.Answer) error {
		if len(a.Rows.Columns) == 0 {
			return errors.New("the statement gives no rows")
		}
		return format.Write(to, a.Rows, term.Options{})
	})
}

// heldBack is the number of bytes at a file's start that are held back in case the
// statement fails. A shorter file is sent whole or not at all.
const heldBack = 256 << 10

// late is a writer that holds back the first heldBack bytes. It sends them when more
// bytes come, or at flush.
type late struct {
	to    http.ResponseWriter
	begin func() // sets headers
	begun bool
	first bytes.Buffer
}

// Write keeps the first bytes, and sends all later ones.
func (l *late) Write(b []byte) (int, error) {
	if l.begun {
		return l.to.Write(b)
	}
	l.first.Write(b)
	if l.first.Len() < heldBack {
		return len(b), nil
	}
	return len(b), l.flush()
}

func (l *late) flush() error {
	if l.begun {
		return nil
	}
	l.begun = true
	l.begin()
	if _, err := l.first.WriteTo(l.to); err != nil {
		return fmt.Errorf("nobody waits for the file: %w", err)
	}
	return nil
}
