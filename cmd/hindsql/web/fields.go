package web

import (
	"errors"
	"strings"

	"hindsql/queries"
)

// field is a field of a form.
type field struct {
	Name, Label string
	Value       string
	Usual       string // what counts where it is empty
	Doc         string
	Wrong       string // what is wrong with its value
	Options     []option
	Proposed    []string // values to choose from, where others are taken, too
	Number      bool
}

// option is a value of a field that has only some.
type option struct {
	Value, Text string
	Chosen      bool
}

// fieldOf is the field of a parameter.
func fieldOf(p queries.Param, value string) field {
	f := field{Name: p.Name, Label: strings.ReplaceAll(p.Name, "_", " "), Value: value, Doc: p.Doc}
	if p.Default != "NULL" {
		f.Usual = strings.Trim(p.Default, "'")
	}
	values := p.Values
	if p.Type == "BOOLEAN" {
		values = []string{"true", "false"}
	}
	if values == nil {
		f.Proposed = p.Proposed()
		f.Number = strings.HasSuffix(p.Type, "INT") || p.Type == "INTEGER"
		return f
	}
	none := "any"
	if f.Usual != "" {
		none = f.Usual
	}
	f.Options = []option{{"", none, value == ""}}
	known := value == ""
	for _, v := range values {
		if v == f.Usual {
			known = known || strings.EqualFold(v, value)
			f.Options[0].Chosen = f.Options[0].Chosen || strings.EqualFold(v, value)
			continue
		}
		chosen := strings.EqualFold(v, value)
		known = known || chosen
		f.Options = append(f.Options, option{v, v, chosen})
	}
	if !known { // what the URL says stays to be seen
		f.Options = append(f.Options, option{value, value, true})
	}
	return f
}

// fieldsOf are the fields of a query's parameters, with what the URL gives.
func (q *request) fieldsOf(saved *queries.Query) (list []field) {
	for _, p := range saved.Params {
		list = append(list, fieldOf(p, q.get(p.Name)))
		if p.Name == "until" { // what stands for both stands by them
			for _, both := range saved.Takes()[len(saved.Params):] {
				list = append(list, fieldOf(both, q.get(both.Name)))
			}
		}
	}
	return list
}

// takesMoments says that one of the parameters is a moment, or a period.
func takesMoments(saved *queries.Query) bool {
	for _, p := range saved.Params {
		if p.IsMoment() {
			return true
		}
	}
	return false
}

// blame puts an error beside the field whose value it is about; false where it is
// about none.
func blame(fields []field, err error) bool {
	var value *queries.ValueError
	if !errors.As(err, &value) {
		return false
	}
	for i := range fields {
		if fields[i].Name == value.Name {
			fields[i].Wrong = value.Err.Error()
			return true
		}
	}
	return false
}
