package qwen

import "hindsql/readers"

// records lists what Qwen Code's logs record. The tests check it against the samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Grants:             readers.Recorded | readers.Inferred, // a hook's grant looks like a person's
	readers.Interruptions:      readers.Recorded | readers.Inferred, // nothing marks the stop of an answer
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded | readers.Inferred, // some are estimates
	readers.CompactionTriggers: readers.Recorded,
	readers.Summaries:          readers.Recorded,
	readers.Clears:             readers.Recorded | readers.Inferred,
	readers.Prompts:            readers.Recorded,
	readers.Branches:           readers.Recorded,
	readers.Forks:              readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
	readers.Versions:           readers.Recorded,
	readers.GitBranches:        readers.Recorded,
}
