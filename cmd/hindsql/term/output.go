package term

import (
	"fmt"
	"io"
	"slices"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Output is where results go, and how they look there.
type Output struct {
	io.Writer
	Format string // the name of the format that was asked for; empty for none
	File   string // path of the file behind Writer; empty for a terminal or a pipe
	Timed  bool   // a table's last line says how long the statement took
	// Behind says that a result was written to Writer before: in some formats an
	// empty line parts the next from it.
	Behind bool
	Options
}

// Choose gives the format that results are written in: the one asked for, else
// that of the file's name, else prefer, in which a query reads best, else the
// table. The error is that of an unknown name.
func (o *Output) Choose(prefer string) (Format, error) {
	if o.Format != "" {
		return o.allow(ByName(o.Format))
	}
	byName, err := ByPath(o.File)
	if err != nil || byName.Name != "table" || prefer == "" {
		return o.allow(byName, err)
	}
	return ByName(prefer)
}

// Is says that results that prefer no format are written in the one of this name.
func (o *Output) Is(name string) bool {
	f, err := o.Choose("")
	return err == nil && f.Name == name
}

// IsSeen says that results that prefer a format become what people look at: a table,
// or that format where none was asked for.
func (o *Output) IsSeen(prefer string) bool {
	f, err := o.Choose(prefer)
	return err == nil && (f.Name == "table" || o.Format == "" && o.File == "")
}

// allow refuses what is no text where a terminal is.
func (o *Output) allow(f Format, err error) (Format, error) {
	if _, terminal := o.Writer.(*Door); err == nil && terminal && f.binary {
		return f, fmt.Errorf("%s is no text; it goes to a pipe, or to a file such as x%s", f.Name, f.Extensions[0])
	}
	return f, err
}

// ForPeople says that results become tables that people look at, so that a
// command may add to them what is no result.
func (o *Output) ForPeople() bool {
	f, err := o.Choose("")
	return err == nil && f.Name == "table" && o.File == ""
}

// parted are the formats in which an empty line stands between two results.
var parted = []string{"table", "line", "markdown", "chart"}

// Results gives what writes results one after the other.
func (o *Output) Results(prefer string) (write func(*result.Rows) error, err error) {
	format, err := o.Choose(prefer)
	if err != nil {
		return nil, err
	}
	if format.write == nil {
		return nil, format.notHere()
	}
	start := time.Now()
	return func(r *result.Rows) error {
		if o.Behind && len(r.Columns) > 0 && format.single {
			return fmt.Errorf("%s: holds one result, and this is a second", format.Name)
		}
		if o.Behind && len(r.Columns) > 0 && slices.Contains(parted, format.Name) {
			if _, err := io.WriteString(o, "\n"); err != nil {
				return err
			}
		}
		options := o.Options
		if o.Timed {
			options.Elapsed = func() time.Duration { return time.Since(start) }
		}
		err := format.Write(o.Writer, r, options)
		start, o.Behind = time.Now(), o.Behind || len(r.Columns) > 0
		return err
	}, nil
}

// Set writes a result that is in memory.
func (o *Output) Set(set result.Set) error {
	write, err := o.Results("")
	if err != nil {
		return err
	}
	return write(set.Read())
}

// List writes a result for people as a listing, in which prose is not cut but
// broken into lines, and in any other format like [Output.Set].
func (o *Output) List(set result.Set) error {
	if !o.ForPeople() {
		return o.Set(set)
	}
	return Listing(o, o.Width, texts(set.Rows))
}

func texts(rows [][]any) [][]string {
	all := make([][]string, len(rows))
	for i, row := range rows {
		for _, v := range row {
			if n, ok := v.(int64); ok {
				v = words.Int(n)
			}
			all[i] = append(all[i], fmt.Sprint(v))
		}
	}
	return all
}
