package html

import (
	"html/template"
	"slices"
	"time"

	"hindsql/internal/lists"
	"hindsql/internal/words"
)

// shades is the number of colours. style.css has the classes h0 to h5.
const shades = 5

// Weeks is the number of weeks in the drawing of a year.
const Weeks = 52

// Day is a day with its number of rows. Time is midnight in UTC, as of a DATE.
type Day struct {
	time.Time
	Rows int64
}

// Year is the data for the drawing of a year. Its weeks begin on Mondays.
type Year struct {
	ID    string // prefix of element ids
	Noun  string // a row, in the singular: "message"
	Days  []Day  // days with rows, ascending; days outside the year are ignored
	Last  time.Time
	Known time.Time // earlier days have no rows because none are loaded
	Here  time.Time // day that the page shows; zero for another period
	Link  func(day time.Time) string
}

// First returns the Monday with which the year begins.
func (y *Year) First() time.Time { return y.Last.AddDate(0, 0, -int(y.Last.Weekday()+6)%7-7*(Weeks-1)) }

// Shown returns the days with rows in the year.
func (y *Year) Shown() []Day {
	first := y.First()
	return slices.DeleteFunc(slices.Clone(y.Days), func(d Day) bool { return d.Before(first) || d.After(y.Last) || d.Rows < 1 })
}

// HTML returns the year as a heat map, the scale of its colours, and the numbers in a
// folded table. In the map, keys reach one day, and a page's script moves on from there:
// a stop at each day would make the page tedious. In the table, keys reach each day. The
// map is in halves, one below the other in narrow places.
func (y *Year) HTML() template.HTML {
	shown := y.Shown()
	d := yearDrawing{ID: y.ID, Noun: y.Noun, Shades: shadesOf(shown)}
	rows, at := map[time.Time]int64{}, y.First()
	for _, day := range shown {
		rows[day.Time] = day.Rows
		d.Days = slices.Insert(d.Days, 0, yearCell{Title: y.dayTitle(day), Day: day.Format(time.DateOnly), Rows: words.Int(day.Rows), URL: y.Link(day.Time)})
	}
	newest := y.Here
	if n := len(shown); n > 0 && rows[newest] == 0 {
		newest = shown[n-1].Time
	}
	for i := range d.Halves {
		h := &d.Halves[i]
		for week := range Weeks / len(d.Halves) {
			h.begin(at, week == 0)
			for k := range h.Weekdays {
				cell := y.cell(Day{at, rows[at]}, d.Shades)
				cell.Stop = at.Equal(newest)
				d.Unknown = d.Unknown || cell.Class == "off"
				h.Weekdays[k].Cells = append(h.Weekdays[k].Cells, cell)
				at = at.AddDate(0, 0, 1)
			}
		}
		h.Until = at.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	return execute("year", &d)
}

// cell returns the square of a day. A day without rows has a colour only if all its rows
// are loaded.
func (y *Year) cell(d Day, shades []shade) yearCell {
	switch {
	case d.Rows > 0:
		c := yearCell{Title: y.dayTitle(d), URL: y.Link(d.Time), Here: d.Equal(y.Here)}
		for _, s := range shades {
			if d.Rows >= s.least {
				c.Class = s.Class
			}
		}
		return c
	case d.After(y.Last):
		return yearCell{}
	case d.Before(y.Known):
		return yearCell{Class: "off"}
	}
	return yearCell{Class: "h0", Title: y.dayTitle(d)}
}

func (y *Year) dayTitle(d Day) string {
	return d.Format("Mon 2006-01-02") + ": " + words.Quantity(d.Rows, y.Noun)
}

// yearDrawing is the data of the template for a year.
type yearDrawing struct {
	ID, Noun string
	Halves   [2]halfYear
	Shades   []shade
	Unknown  bool       // the year has days before the first known
	Days     []yearCell // with rows, the newest first
}

// halfYear is a table of squares: a row for each day of the week, a column for each week.
type halfYear struct {
	Since, Until string
	Months       []yearMonth
	Weekdays     [7]struct{ Cells []yearCell }
}

// yearMonth is the head over the weeks that begin in a month.
type yearMonth struct {
	Name  string
	Weeks int
}

// yearCell is a day of the map or the table.
type yearCell struct {
	Class, Title, URL string
	Day, Rows         string // in the table
	Stop              bool   // the tab key stops here
	Here              bool   // the page shows this day
}

// begin begins a column with a Monday.
func (h *halfYear) begin(monday time.Time, isFirst bool) {
	if isFirst {
		h.Since = monday.Format(time.DateOnly)
	}
	name := monday.Format("Jan")
	if n := len(h.Months); n > 0 && h.Months[n-1].Name == name {
		h.Months[n-1].Weeks++
		return
	}
	h.Months = append(h.Months, yearMonth{name, 1})
}

// Weekday returns the name of a row's day.
func (h *halfYear) Weekday(row int) string { return time.Weekday((row + 1) % 7).String()[:3] }

// shade is a colour of the map, with the numbers that it stands for.
type shade struct {
	Class       string
	least, most int64
}

// Text returns the numbers of a shade.
func (s shade) Text() string {
	if s.least == s.most {
		return words.Int(s.most)
	}
	return words.Int(s.least) + "–" + words.Int(s.most)
}

// shadesOf divides days into shades of about equally many days. With shades of equal
// steps, a single busy day would make all other days pale.
func shadesOf(days []Day) (list []shade) {
	numbers := lists.Map(days, func(d Day) int64 { return d.Rows })
	slices.Sort(numbers)
	least := int64(1)
	for i := range shades {
		if len(numbers) == 0 {
			return nil
		}
		most := numbers[(len(numbers)*(i+1)+shades-1)/shades-1]
		if most >= least {
			list = append(list, shade{least: least, most: most})
			least = most + 1
		}
	}
	for i := range list {
		list[i].Class = "h" + string(rune('0'+shades-len(list)+1+i)) // the most is the darkest
	}
	return list
}
