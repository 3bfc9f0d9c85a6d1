package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
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
	// HasWritten is set after a first result was written. In some formats an empty line
	// separates the next result.
	HasWritten bool
	Options
}

// choose returns the format for results. It is the first of: the requested format, the
// format of the file's name, prefer (the query's best format), and the table. An
// unknown name is an error.
func (o *Output) choose(prefer string) (Format, error) {
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
	f, err := o.choose("")
	return err == nil && f.Name == name
}

// isSeen reports whether a person reads the results: they are a table, or the user
// named neither a format nor a file.
func (o *Output) isSeen(prefer string) bool {
	f, err := o.choose(prefer)
	return err == nil && (f.Name == "table" || o.Format == "" && o.File == "")
}

// allow returns format f, or an error for a binary format on a terminal.
func (o *Output) allow(f Format, err error) (Format, error) {
	if _, terminal := o.Writer.(*Escaper); err == nil && terminal && f.binary {
		return f, Unfit(fmt.Sprintf("%s is no text; it goes to a pipe, or to a file such as x%s", f.Name, f.Extensions[0]))
	}
	return f, err
}

// ForPeople reports whether results become tables for people. A command may then add
// text that isn't a result.
func (o *Output) ForPeople() bool {
	f, err := o.choose("")
	return err == nil && f.Name == "table" && o.File == ""
}

// parted lists the formats with an empty line between results.
var parted = []string{"table", "line", "markdown", "chart"}

// Results returns a function for writing several results in sequence.
func (o *Output) Results(prefer string) (write func(*result.Rows) error, err error) {
	format, err := o.choose(prefer)
	if err != nil {
		return nil, err
	}
	if format.write == nil {
		return nil, format.errEngineOnly()
	}
	start := time.Now()
	return func(r *result.Rows) error {
		if o.HasWritten && len(r.Columns) > 0 && format.single {
			return fmt.Errorf("%s: holds one result, and this is a second", format.Name)
		}
		if o.HasWritten && len(r.Columns) > 0 && slices.Contains(parted, format.Name) {
			if _, err := io.WriteString(o, "\n"); err != nil {
				return err
			}
		}
		options := o.Options
		if o.Timed {
			options.Elapsed = func() time.Duration { return time.Since(start) }
		}
		err := format.Write(o.Writer, r, options)
		start, o.HasWritten = time.Now(), o.HasWritten || len(r.Columns) > 0
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

// color is an ANSI escape sequence; empty for the terminal's own colour.
type color string

const (
	plain  color = ""
	bold   color = "\x1b[1m"
	dim    color = "\x1b[2m"
	red    color = "\x1b[31m"
	green  color = "\x1b[32m"
	yellow color = "\x1b[33m"
	cyan   color = "\x1b[36m"
)

// ownColors lists every colour that hindsql writes.
var ownColors = []string{string(bold), string(dim), string(red), string(green), string(yellow), string(cyan), endColor}

const endColor = "\x1b[0m"

// ownColor returns the length of the colour at the start of b; 0 if b doesn't start
// with a colour of hindsql's. whole is false if b ends in the middle of the colour.
func ownColor(b []byte) (n int, whole bool) {
	for _, c := range ownColors {
		n := min(len(c), len(b))
		if string(b[:n]) == c[:n] {
			return n, n == len(c)
		}
	}
	return 0, false
}

func (o Options) paint(c color, s string) string {
	if !o.Color || c == plain || s == "" {
		return s
	}
	return string(c) + s + endColor
}

// footLines returns a line below a result in a colour, broken to the terminal's width; empty
// for an empty text.
func footLines(o Options, c color, s string) (lines string) {
	switch {
	case s == "":
		return ""
	case width(s) > o.Width:
		s = Wrap(s, o.Width, 2)
	}
	for l := range strings.SplitSeq(s, "\n") {
		lines += o.paint(c, l) + "\n"
	}
	return lines
}

// isDiff reports whether a value is a unified diff, by its column's name or its first
// lines. end separates the lines.
func isDiff(column, value, end string) bool {
	if column == "diff" || strings.HasSuffix(column, "_diff") {
		return true
	}
	old, rest, _ := strings.Cut(value, end)
	new, _, _ := strings.Cut(rest, end)
	return strings.HasPrefix(old, "--- ") && strings.HasPrefix(new, "+++ ")
}

var diffColors = map[string]color{"+": green, "-": red, "@": cyan}

func diffColor(line string) color { return diffColors[line[:min(len(line), 1)]] }

// fresh says that the next text begins a line of a diff, whose colour isn't known yet.
const fresh color = "fresh"

// paintDiff colours one line of a table's cell that holds a diff. In a cell, signs
// ([words.LineEnd]) replace the diff's line ends. before is the colour of the diff line
// that continues at the start of s, and after the colour of the diff line at its end.
func (o Options) paintDiff(s string, before color) (painted string, after color) {
	lines := strings.Split(s, words.LineEnd)
	for i, line := range lines {
		if after = before; i > 0 || before == fresh {
			after = diffColor(line)
		}
		lines[i] = o.paint(after, line)
		if line == "" {
			after = fresh
		}
	}
	return strings.Join(lines, o.paint(dim, words.LineEnd)), after
}

// wordColors maps cells that tell of a refusal or a failure to their colours.
var wordColors = map[string]color{"rejected": red, "refused": red, "denied": red, "error": red, "failed": red}
