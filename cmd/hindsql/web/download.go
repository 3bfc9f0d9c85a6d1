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

// download is a file that a result may be had as.
type download struct {
	format, title, kind string
	inline              bool // a browser shows it
}

// downloads are all of them, by the names of their formats, which their URLs end
// in.
var downloads = []download{
	{"csv", "CSV", "text/csv; charset=utf-8", false},
	{"json", "JSON", "application/json", true},
	{"ndjson", "NDJSON", "application/x-ndjson", false},
	{"parquet", "Parquet", "application/vnd.apache.parquet", false},
}

// downloadOf finds one by its format; nil where there is none.
func downloadOf(format string) *download {
	for i := range downloads {
		if downloads[i].format == format {
			return &downloads[i]
		}
	}
	return nil
}

// parted is a name without the ending that asks for a file, and the file.
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

// offered are the files of a result, each at the URL that url makes of its format.
func offered(url func(format string) string) (list []place) {
	for _, d := range downloads {
		list = append(list, place{URL: url(d.format), Name: d.title})
	}
	return list
}

// send sends the whole result as a file. Its error is that of a result of which
// nothing was sent; where a part was, the connection ends, so that nobody takes
// that for the whole.
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
		_ = to.flush() // nobody is there to hear of its error
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

// heldBack is how much of a file waits for an error: what is shorter is sent
// whole or not at all.
const heldBack = 256 << 10

// late is a writer that begins to send when there is much, or at flush.
type late struct {
	to    http.ResponseWriter
	begin func() // sets headers
	begun bool
	first bytes.Buffer
}

// Write keeps the first bytes, and sends the rest.
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
