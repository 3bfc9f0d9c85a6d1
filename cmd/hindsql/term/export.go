package term

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine/export"
	"hindsql/internal/words"
)

// Exported summarizes an export in a line.
func Exported(r export.Report) string {
	parts := []string{words.Quantity(r.Tables, "table"), words.Quantity(r.Rows, "row"),
		words.Quantity(r.Files, "file") + " written, " + words.Size(r.Bytes)}
	if r.Unchanged > 0 {
		parts = append(parts, fmt.Sprintf("%d unchanged", r.Unchanged))
	}
	if r.Removed > 0 {
		parts = append(parts, fmt.Sprintf("%d removed", r.Removed))
	}
	return "exported " + strings.Join(append(parts, words.Duration(r.Elapsed)), "; ")
}

// Redacted returns a text with the number of secrets that each rule replaced, the
// highest number first.
func Redacted(counts map[string]int64) string {
	var sum int64
	var rules []string
	for rule, n := range counts {
		sum += n
		rules = append(rules, rule)
	}
	if sum == 0 {
		return "redacted no secrets"
	}
	slices.SortFunc(rules, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for i, rule := range rules {
		rules[i] = fmt.Sprintf("%d %s", counts[rule], rule)
	}
	return "redacted " + words.Quantity(sum, "secret") + ": " + strings.Join(rules, ", ")
}
