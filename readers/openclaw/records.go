package openclaw

import (
	"maps"

	"hindsql/readers"
	"hindsql/readers/pilines"
)

// records is what the sessions write down; the samples hold it to that.
var records = func() map[readers.Fact]readers.Extent {
	list := pilines.Records(nil)
	maps.Copy(list, map[readers.Fact]readers.Extent{
		readers.Grants: readers.Recorded, readers.Clears: readers.Recorded, readers.Subagents: readers.Recorded, readers.Versions: readers.Recorded,
		readers.CompactionTokens: readers.Inferred, readers.CompactionTriggers: readers.Inferred,
	})
	return list
}()
