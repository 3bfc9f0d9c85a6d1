package sandbox

import (
	"fmt"
	"strconv"
	"time"
)

// Argument is the value of a statement's parameter.
type Argument struct{ Name, Type, Text string }

// Arguments encodes the values of parameters: nil, a bool, int64, int, float64,
// string or time.Time.
func Arguments(args map[string]any) ([]Argument, error) {
	var list []Argument
	for name, value := range args {
		a := Argument{Name: name, Type: fmt.Sprintf("%T", value), Text: fmt.Sprint(value)}
		switch v := value.(type) {
		case nil, bool, int64, int, string:
		case float64:
			a.Text = strconv.FormatFloat(v, 'g', -1, 64)
		case time.Time:
			a.Text = v.Format(time.RFC3339Nano)
		default:
			return nil, fmt.Errorf("parameter $%s: a value of type %T can't be given", name, value)
		}
		list = append(list, a)
	}
	return list, nil
}

// Value decodes the argument.
func (a Argument) Value() (v any, err error) {
	switch a.Type {
	case "bool":
		v, err = strconv.ParseBool(a.Text)
	case "int", "int64":
		v, err = strconv.ParseInt(a.Text, 10, 64)
	case "float64":
		v, err = strconv.ParseFloat(a.Text, 64)
	case "string":
		v = a.Text
	case "time.Time":
		v, err = time.Parse(time.RFC3339Nano, a.Text)
	}
	return v, err
}
