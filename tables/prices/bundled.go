package prices

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"hindsql/tables"
)

// The built-in list: LiteLLM's, reduced by tools/prices. about has the day of the fetch,
// the package, its version, and the SHA-256 of packed.
var (
	//go:embed litellm.json.gz
	packed []byte
	//go:embed litellm.txt
	about string
)

// Notice is the copyright notice of the built-in list, under the MIT licence.
//
//go:embed LICENSE.litellm
var Notice string

// BuiltInMark identifies the built-in list: another version of hindsql may have another.
// It unpacks nothing.
func BuiltInMark() string { return "built in " + strings.TrimSpace(about) }

// Dated returns the day of the built-in list in UTC, and the package and version that it
// is from, such as "litellm 1.110.2".
func Dated() (day time.Time, from string) {
	words := strings.Fields(about)
	day, err := time.Parse(time.DateOnly, words[0])
	if err != nil {
		panic("prices: litellm.txt: " + err.Error()) // a test reads it
	}
	return day, words[1] + " " + words[2]
}

// BuiltIn unpacks the built-in list, sorted by name. It takes 5 ms, so only a load, a
// change of the list and a look at it call BuiltIn.
func BuiltIn() ([]tables.Price, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("prices: built-in list: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("prices: built-in list: %w", err)
	}
	list, err := parseLiteLLM(text)
	slices.SortFunc(list, func(a, b tables.Price) int { return strings.Compare(a.Model, b.Model) })
	return list, err
}
