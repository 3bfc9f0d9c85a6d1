package pilines

import (
	"maps"

	"hindsql/readers"
)

// Records lists what the logs of pi record, and what a program's logs record besides
// (also). The tests check it against the samples.
func Records(also map[readers.Fact]readers.Extent) map[readers.Fact]readers.Extent {
	facts := map[readers.Fact]readers.Extent{}
	for _, fact := range []readers.Fact{
		readers.Refusals, readers.Waits, readers.RefusedDiffs, readers.RuleRefusals, readers.Interruptions, readers.PartialOutput, readers.SystemStops,
		readers.Compactions, readers.CompactionTokens, readers.Summaries, readers.Branches, readers.Forks,
		readers.Tokens, readers.Thinking, readers.ExitCodes, readers.Costs,
	} {
		facts[fact] = readers.Recorded
	}
	maps.Copy(facts, also)
	return facts
}
