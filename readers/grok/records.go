package grok

import "hindsql/readers"

// records lists what Grok Build's logs record. The tests check it against the samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals: readers.Recorded,
	readers.Reasons:  readers.Recorded,
}
