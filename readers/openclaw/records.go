package openclaw

import (
	"maps"

	"hindsql/readers"
	"hindsql/readers/pilines"
)

// records is what the sessions write down; the samples hold it to that.
var records = func() map[readers.Fact]readers.Extent {
	list := pilines.Records(nil)
	maps.Copy(list, map[readers.Fact]readers.Extent{})
	return list
}()
