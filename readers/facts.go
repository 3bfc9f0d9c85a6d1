package readers

import (
	"slices"
	"strings"

	"hindsql/tables"
)

// Fact is a kind of information that only some agents' logs hold.
type Fact int

// The facts are in the order of README's table.
const (
	Refusals Fact = iota
	Reasons
	RefusedDiffs
	RuleRefusals
	Grants
	MachineGrants
	Waits
	Cascades
	Interruptions
	PartialOutput
	SystemStops
	Compactions
	CompactionTokens
	CompactionTriggers
	Summaries
	Clears
	Prompts
	Branches
	Forks
	Subagents
	Tokens
	Thinking
	ExitCodes
	Costs
	Versions
	GitBranches
	factCount
)

// Extent says how far an agent's logs hold a fact. Recorded|Inferred means that some
// versions record the fact; for logs of the other versions, the reader infers it.
type Extent int

// The zero Extent means that the logs don't record the fact.
const (
	Recorded Extent = 1 << iota
	Inferred
	NotRecorded Extent = 0
)

// ParseFacts parses the facts that an agent's logs record: names in small letters with
// hyphens. After a name ~ stands for [Inferred], and ? for [Recorded] or Inferred. If a
// name repeats, its last extent counts. ParseFacts panics if there is no such fact, so
// the tests of every agent check the names.
func ParseFacts(text string) map[Fact]Extent {
	said := map[Fact]Extent{}
	for word := range strings.FieldsSeq(text) {
		name := strings.TrimRight(word, "~?")
		i := slices.Index(factNames, name)
		if i < 0 {
			panic("readers: no fact " + name)
		}
		said[Fact(i)] = map[string]Extent{"": Recorded, "~": Inferred, "?": Recorded | Inferred}[word[len(name):]]
	}
	return said
}

// factNames are the names for [ParseFacts], in the order of the facts.
var factNames = strings.Fields("refusals reasons refused-diffs rule-refusals grants machine-grants waits cascades interruptions partial-output system-stops compactions compaction-tokens compaction-triggers summaries clears prompts branches forks subagents tokens thinking exit-codes costs versions git-branches")

// String returns the word in README's table.
func (e Extent) String() string {
	switch e {
	case Recorded:
		return "recorded"
	case Inferred:
		return "inferred"
	case Recorded | Inferred:
		return "recorded or inferred"
	}
	return "not recorded"
}

// secondTables maps a fact to a second table with rows about the fact: an agent may record
// it in a file of its own. The columns have the same names.
var secondTables = map[Fact]string{Grants: "approvals", Waits: "approvals"}

// facts holds each fact's name, the table that shows it, and a function that returns
// the extent shown by a row of the table.
var facts = [factCount]struct {
	name, table string
	in          func(tables.Row) Extent
}{
	Refusals:           {"what you refused", "rejections", func(r tables.Row) Extent { return extentIf(byPerson(r), r) }},
	Reasons:            {"the reason you typed", "rejections", func(r tables.Row) Extent { return recordedIf(byPerson(r) && r["reason"] != nil) }},
	RefusedDiffs:       {"a refused edit, as a diff", "rejections", hasValue("proposed_diff")},
	RuleRefusals:       {"refusals by a rule, a hook or a classifier", "rejections", func(r tables.Row) Extent { return extentIf(byMachine(r), r) }},
	Grants:             {"what you granted when asked", "tool_calls", func(r tables.Row) Extent { return grantExtent(r, r["decided_by"] == tables.ByUser) }},
	MachineGrants:      {"what a rule, a mode or a hook granted", "tool_calls", func(r tables.Row) Extent { return grantExtent(r, r["decided_by"] != tables.ByUser) }},
	Waits:              {"how long it waited for your answer", "tool_calls", hasValue("waited_ms")},
	Cascades:           {"calls that went down with a refused one", "rejections", func(r tables.Row) Extent { return extentIf(r["cascaded"] == true, r) }},
	Interruptions:      {"what you interrupted", "interruptions", func(r tables.Row) Extent { return extentIf(r["type"] == tables.InterruptedByUser, r) }},
	PartialOutput:      {"what had been said or printed by then", "interruptions", hasValue("partial_output")},
	SystemStops:        {"limits, time-outs and other stops", "interruptions", func(r tables.Row) Extent { return extentIf(r["type"] == tables.InterruptedBySystem, r) }},
	Compactions:        {"compactions", "compactions", hasValue("source_id")},
	CompactionTokens:   {"tokens before or after a compaction", "compactions", inferredIf("tokens_estimated", "pre_tokens", "post_tokens")},
	CompactionTriggers: {"automatic or asked for", "compactions", inferredIf("trigger_inferred", "trigger")},
	Summaries:          {"the summary", "compactions", hasValue("summary")},
	Clears:             {"/clear and /new", "clear_marks", func(r tables.Row) Extent { return extentIf(true, r) }},
	Prompts:            {"a history of typed prompts", "prompts", hasValue("text")},
	Branches:           {"rewound and abandoned branches", "messages", func(r tables.Row) Extent { return recordedIf(r["is_active"] == false) }},
	Forks:              {"what a session was forked from", "fork_marks", hasValue("forked_from")},
	Subagents:          {"subagents", "sessions", func(r tables.Row) Extent { return recordedIf(r["kind"] == tables.SessionSubagent) }},
	Tokens:             {"tokens of each response", "messages", hasValue("output_tokens")},
	Thinking:           {"thinking", "messages", hasValue("thinking")},
	ExitCodes:          {"exit codes of commands", "tool_calls", hasValue("exit_code")},
	Costs:              {"cost in US$", "sessions", hasValue("cost_usd")},
	Versions:           {"the agent's version", "sessions", hasValue("agent_version")},
	GitBranches:        {"git branch", "sessions", hasValue("git_branch")},
}

// Facts lists all facts.
func Facts() []Fact {
	list := make([]Fact, factCount)
	for i := range list {
		list[i] = Fact(i)
	}
	return list
}

// String returns the fact's name for people.
func (f Fact) String() string { return facts[f].name }

// Table returns the table whose rows show the fact.
func (f Fact) Table() string { return facts[f].table }

// Tables returns all tables whose rows show the fact.
func (f Fact) Tables() []string {
	list := []string{f.Table()}
	if apart := secondTables[f]; apart != "" {
		list = append(list, apart)
	}
	return list
}

// In returns what a row of one of the fact's tables shows of the fact.
func (f Fact) In(row tables.Row) Extent { return facts[f].in(row) }

func recordedIf(yes bool) Extent {
	if yes {
		return Recorded
	}
	return NotRecorded
}

// extentIf returns the extent of a fact by its row's evidence.
func extentIf(yes bool, r tables.Row) Extent {
	if yes && (r["evidence"] == tables.EvidenceInferred || r["evidence"] == tables.EvidenceText) {
		return Inferred
	}
	return recordedIf(yes)
}

func hasValue(column string) func(tables.Row) Extent {
	return func(r tables.Row) Extent { return recordedIf(r[column] != nil) }
}

// inferredIf returns a function for a row that reads the first of the columns with a value.
// The extent is Inferred if the row's column named by inferred is true, otherwise
// Recorded. It is NotRecorded if no column has a value.
func inferredIf(inferred string, columns ...string) func(tables.Row) Extent {
	return func(r tables.Row) Extent {
		for _, c := range columns {
			if r[c] != nil && r[inferred] == true {
				return Inferred
			}
			if r[c] != nil {
				return Recorded
			}
		}
		return NotRecorded
	}
}

// grantExtent returns the extent of a grant. by is true if the fact's party, a person or a
// machine, decided. The answer to a question of the model isn't a grant of this fact.
func grantExtent(r tables.Row, by bool) Extent {
	sure, _ := r["decision_confidence"].(float64)
	switch {
	case r["decision"] != tables.Granted || !by || r["tool_kind"] == tables.ToolQuestion:
		return NotRecorded
	case sure < 1:
		return Inferred
	}
	return Recorded
}

func byPerson(r tables.Row) bool { return r["decided_by"] == tables.ByUser && r["cascaded"] == false }

// byMachine reports whether a machine refused. ByUnknown doesn't count as a machine.
func byMachine(r tables.Row) bool {
	return r["decided_by"] != tables.ByUser && r["decided_by"] != tables.ByUnknown && r["cascaded"] == false
}
