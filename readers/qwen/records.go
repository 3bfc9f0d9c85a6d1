package qwen

import "hindsql/readers"

// records lists what Qwen Code's logs record. The tests check it against the samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals: readers.Recorded,
}
