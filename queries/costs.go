package queries

import "strings"

// Costs says how a saved query's result shows its columns of costs, whose names end in
// "usd". names are the result's columns, and filled has the number of values that aren't
// NULL, by column. A column of costs without a value is to be hidden, and so is the column
// that counts what has a price. note says why in a line, or by which prices the estimates
// are, whenever the usage was; prices names the list, such as "prices of 2026-11", and is
// empty if unknown. Without columns of costs, or without rows, note is empty.
func Costs(names []string, filled []int, rows int, prices string) (hidden []string, note string) {
	if rows == 0 {
		return nil, ""
	}
	var why []string
	for i, name := range names {
		isEstimate := strings.HasSuffix(name, "estimated_usd")
		switch {
		case !strings.HasSuffix(name, "usd"):
		case filled[i] > 0 && isEstimate && prices != "":
			why = append(why, name+" is estimated by "+prices+", whenever the usage was")
		case filled[i] > 0:
		case isEstimate:
			hidden = append(hidden, name, "unpriced")
			why = append(why, "no "+name+": no model here has a price, see hindsql prices")
		default:
			hidden = append(hidden, name, "priced")
			why = append(why, "no "+name+": the agents recorded no cost")
		}
	}
	return hidden, strings.Join(why, "; ")
}
