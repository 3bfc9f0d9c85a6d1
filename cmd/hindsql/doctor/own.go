package doctor

import (
	"fmt"
	"strings"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/queries"
	"hindsql/tables/prices"
)

// Queries reports how many saved queries the user has in folder. wrong is the error
// about faulty files of queries and reports, with a line for each; nil if all are
// valid.
func Queries(saved []*queries.Query, wrong error, folder, home string) (found []Finding) {
	mine := 0
	for _, q := range saved {
		if q.Path != "" {
			mine++
		}
	}
	if wrong == nil {
		if mine > 0 {
			found = append(found, Finding{OK, "queries", fmt.Sprintf("%d of your own in %s", mine, atomicfile.Short(home, folder)), ""})
		}
		return found
	}
	for line := range strings.SplitSeq(wrong.Error(), "\n") {
		found = append(found, Finding{Broken, "queries", atomicfile.Short(home, line), "mend the file, or move it away"})
	}
	return found
}

// Prices reports the price list in use for cost estimates, and its age. home is shown
// as ~.
func Prices(path, home string) Finding {
	if path == "" {
		day, from := prices.Dated()
		return Finding{OK, "prices", fmt.Sprintf("the built-in list of %s (%s); hindsql prices lists it", day.Format(time.DateOnly), from), ""}
	}
	file, err := prices.Look(path)
	if err != nil {
		return Finding{Broken, "prices", err.Error(), "mend the file, or save another one in its place"}
	}
	return Finding{OK, "prices", fmt.Sprintf("%s, of %s, with prices of %d models", atomicfile.Short(home, path), onDay(file.ModifiedAt), file.Models), ""}
}
