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
	"hindsql/cmd/hindsql/render"
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

// sender is what makes a page, or answers by itself: then it gives no view, and
// its error is that of nothing having been sent.
type sender func(http.ResponseWriter, *request) (*view, error)

// answering is the handler of a page that may be a file, too.
func (s *Server) answering(send sender) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := s.asked(r)
		defer q.close()
		q.behind = s.follower.fresh(r.Context())
		v, err := send(w, q)
		if err != nil {
			v = s.failed(r, err)
		}
		if v != nil {
			v.Live = v.Live && r.Method != http.MethodPost // its address alone doesn't say what it shows
			s.write(w, q, v)
		}
	})
}

// quick is the handler of a page that shows no rows, and waits for no sync.
func (s *Server) quick(make pageFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := s.asked(r)
		v, err := make(q)
		if err != nil {
			v = s.failed(r, err)
		}
		s.write(w, q, v)
	})
}

// send sends the whole result as a file. Its error is that of a result of which
// nothing was sent; where a part was, the connection ends, so that nobody takes
// that for the whole.
func (q *request) send(w http.ResponseWriter, st *question, d *download) error {
	ctx, met, end := q.server.running.begin(q.Context(), st.SQL)
	defer end()
	to := &late{to: w, begin: func() {
		w.Header().Set("Content-Type", d.kind)
		if !d.inline {
			w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": st.file + "." + d.format}))
		}
	}}
	err := met(q.write(ctx, to, st, d))
	switch {
	case err == nil:
		_ = to.flush() // nobody is there to hear of its error
		return nil
	case to.begun:
		panic(http.ErrAbortHandler)
	}
	return err
}

func (q *request) write(ctx context.Context, to *late, st *question, d *download) error {
	session, err := q.sessionFor(ctx, st)
	if err != nil {
		return err
	}
	if d.format == render.Parquet {
		return session.Parquet(ctx, st.Statement, to)
	}
	format, err := render.ByName(d.format)
	if err != nil {
		return err
	}
	one := st.Statement
	one.One = true // a file holds one result
	return session.Run(ctx, one, func(a *ask.Answer) error {
		if len(a.Rows.Columns) == 0 {
			return errors.New("the statement gives no rows")
		}
		return format.Write(to, a.Rows, render.Options{})
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
