package web

import (
	"slices"

	"hindsql/queries"
	"hindsql/queries/report"
)

// span is a page's time range from its URL: during, or since and until. Their values
// are words for times such as 7d, as in all of hindsql.
type span struct {
	During, Since, Until string
	report.Period                          // a zero end is open
	Fields               []field           // fields of since and until
	Wrong                map[string]string // errors of parameters without a field, by the parameter's name
	Presets              []preset
}

// preset is a range that a link sets.
type preset struct {
	Name, URL string
	Here      bool
}

// presets lists the ranges with links: the link's text, and the value of during.
var presets = [][2]string{
	{"Today", "today"}, {"7 days", "7d"}, {"28 days", "28d"}, {"90 days", "90d"}, {"This month", "this month"}, {"Last month", "last month"}, {"All", ""},
}

// span reads the range of a request. usual is the value of during if the request has no
// range. An explicitly empty during means all time.
func (q *request) span(usual string) span {
	s := span{During: q.get("during"), Since: q.get("since"), Until: q.get("until"), Wrong: map[string]string{}}
	s.Fields = []field{endOf("since", s.Since, "From", "7d, monday"), endOf("until", s.Until, "until", "now")}
	if !q.given.Has("during") && s.Since == "" && s.Until == "" {
		s.During = usual
	}
	var err error
	switch {
	case s.During != "" && (s.Since != "" || s.Until != ""):
		s.Wrong["during"] = "during is since and until at once; give either it or those"
	case s.During != "":
		s.Period, err = report.During(q.Context(), q.run, s.During)
	default:
		s.Period.Since, s.Period.Until, err = queries.Bounds(q.Context(), q.run, s.Since, s.Until)
	}
	if err != nil && !blame(s.Fields, err) {
		s.Wrong["during"] = err.Error()
	}
	for _, p := range presets {
		s.Presets = append(s.Presets, preset{p[0], q.with("during", p[1], "since", "until", "page"), s.During == p[1] && s.Since == "" && s.Until == ""})
	}
	return s
}

// endOf returns the form's field for since or until, which most queries take.
func endOf(name, text, label, example string) field {
	m := manner{name: name, label: label}
	f := m.field(queries.Shared(), text)
	f.Example, f.Size = example, 12
	return f
}

// IsWrong reports whether a value of the range is wrong.
func (s *span) IsWrong() bool {
	return len(s.Wrong) > 0 || slices.ContainsFunc(s.Fields, func(f field) bool { return f.Wrong != "" })
}
