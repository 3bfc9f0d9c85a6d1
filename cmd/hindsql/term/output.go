package term

import (
	"fmt"
	"io"
	"slices"
	"time"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Output is the target of results, with their format and style.
type Output struct {
	io.Writer
	Format string // name of the requested format; empty for none
	File   string // path of the file to which Writer writes; empty for a terminal or pipe
	Timed  bool   // a table's last line has the statement's duration
	Alert  bool   // without a row, [View.Query] writes nothing, and returns ErrNoRows
	// Behind is set after a first result was written. In some formats an empty line
	// separates the next result.
	Behind bool
	Options
}

// Choose returns the format for results. It is the first of: the requested format, the
// format of the file's name, prefer (the query's best format), and the table. An
// unknown name is an error.
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

// Is reports whether the named format is chosen for results of a query that prefers no
// format.
func (o *Output) Is(name string) bool {
	f, err := o.Choose("")
	return err == nil && f.Name == name
}

// IsSeen reports whether a person reads the results: they are a table, or the user
// named neither a format nor a file.
func (o *Output) IsSeen(prefer string) bool {
	f, err := o.Choose(prefer)
	return err == nil && (f.Name == "table" || o.Format == "" && o.File == "")
}

// allow returns format f, or an error for a binary format on a terminal.
func (o *Output) allow(f Format, err error) (Format, error) {
	if _, terminal := o.Writer.(*Door); err == nil && terminal && f.binary {
		return f, Unfit(fmt.Sprintf("%s is no text; it goes to a pipe, or to a file such as x%s", f.Name, f.Extensions[0]))
	}
	return f, err
}

// ForPeople reports whether results become tables for people. A command may then add
// text that isn't a result.
func (o *Output) ForPeople() bool {
	f, err := o.Choose("")
	return err == nil && f.Name == "table" && o.File == ""
}

// parted lists the formats with an empty line between results.
var parted = []string{"table", "line", "markdown", "chart"}

// Results returns a function for writing several results in sequence.
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

// Set writes a result held in memory.
func (o *Output) Set(set result.Set) error {
	write, err := o.Results("")
	if err != nil {
		return err
	}
	return write(set.Read())
}

// List writes a result as a listing for people: columns without borders, the last one
// wrapped. In other formats it works like [Output.Set].
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
			switch n := v.(type) {
			case nil:
				v = ""
			case int64:
				v = words.Int(n)
			}
			all[i] = append(all[i], fmt.Sprint(v))
		}
	}
	return all
}
