package openclaw

import (
	"maps"

	"hindsql/readers"
	"hindsql/readers/pilines"
)

// records lists the recorded facts. The tests check the list against the samples.
var records = func() map[readers.Fact]readers.Extent {
	list := pilines.Records(nil)
	maps.Copy(list, map[readers.Fact]readers.Extent{
		readers.Grants: readers.Recorded, readers.Clears: readers.Recorded, readers.Subagents: readers.Recorded, readers.Versions: readers.Recorded,
		readers.CompactionTokens: readers.Inferred, readers.CompactionTriggers: readers.Inferred,
	})
	return list
}()
