package export

import "encoding/json"

// atifVersion is the written version of Harbor's Agent Trajectory Interchange Format
// (RFC 0001).
const atifVersion = "ATIF-v1.7"

// trajectory is a session in ATIF: one JSON document. ATIF refuses unknown members, so
// additional values go into an extra.
type trajectory struct {
	SchemaVersion string       `json:"schema_version"`
	SessionID     string       `json:"session_id"`
	TrajectoryID  string       `json:"trajectory_id"`
	Agent         atifAgent    `json:"agent"`
	Steps         []*step      `json:"steps"`
	Notes         string       `json:"notes,omitempty"`
	FinalMetrics  finalMetrics `json:"final_metrics"`
	Extra         extra        `json:"extra,omitempty"`
}

type atifAgent struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	ModelName string `json:"model_name,omitempty"`
	Extra     extra  `json:"extra,omitempty"`
}

// step is a message of a person, of the program, or of the model. A model's step
// includes its calls and their results.
type step struct {
	StepID           int          `json:"step_id"` // from 1
	Timestamp        string       `json:"timestamp,omitempty"`
	Source           string       `json:"source"` // user, agent or system
	ModelName        string       `json:"model_name,omitempty"`
	Message          string       `json:"message"`
	ReasoningContent string       `json:"reasoning_content,omitempty"`
	ToolCalls        []atifCall   `json:"tool_calls,omitempty"`
	Observation      *observation `json:"observation,omitempty"`
	Metrics          *metrics     `json:"metrics,omitempty"`
	LLMCallCount     *int         `json:"llm_call_count,omitempty"`
	IsCopiedContext  bool         `json:"is_copied_context,omitempty"`
	Extra            extra        `json:"extra,omitempty"`
}

type atifCall struct {
	ToolCallID   string          `json:"tool_call_id"` // unique in the trajectory
	FunctionName string          `json:"function_name"`
	Arguments    json.RawMessage `json:"arguments"` // an object
	Extra        extra           `json:"extra,omitempty"`
}

type observation struct {
	Results []callResult `json:"results"`
}

type callResult struct {
	SourceCallID string          `json:"source_call_id"`
	Content      *string         `json:"content,omitempty"`
	Subagents    []trajectoryRef `json:"subagent_trajectory_ref,omitempty"`
	Extra        extra           `json:"extra,omitempty"`
}

// trajectoryRef names the file of a subagent's trajectory in the same folder.
type trajectoryRef struct {
	TrajectoryPath string `json:"trajectory_path"`
	SessionID      string `json:"session_id"`
}

// metrics are the tokens of a step. PromptTokens includes cached tokens.
type metrics struct {
	PromptTokens     *int64 `json:"prompt_tokens,omitempty"`
	CompletionTokens *int64 `json:"completion_tokens,omitempty"`
	CachedTokens     *int64 `json:"cached_tokens,omitempty"`
	Extra            extra  `json:"extra,omitempty"`
}

// finalMetrics are the sums over all steps that aren't copies.
type finalMetrics struct {
	TotalPromptTokens     *int64          `json:"total_prompt_tokens,omitempty"`
	TotalCompletionTokens *int64          `json:"total_completion_tokens,omitempty"`
	TotalCachedTokens     *int64          `json:"total_cached_tokens,omitempty"`
	TotalCostUSD          json.RawMessage `json:"total_cost_usd,omitempty"`
	TotalSteps            int             `json:"total_steps"`
	Extra                 extra           `json:"extra,omitempty"`
}

// extra holds values that ATIF has no member for.
type extra map[string]any

// add adds the row's members with these names that aren't null.
func (e *extra) add(row map[string]json.RawMessage, names ...string) {
	for _, name := range names {
		if value, ok := row[name]; ok && string(value) != "null" {
			e.set(name, value)
		}
	}
}

func (e *extra) set(name string, value any) {
	if *e == nil {
		*e = extra{}
	}
	(*e)[name] = value
}

// list appends a value to a list member.
func (e *extra) list(name string, value any) {
	had, _ := (*e)[name].([]any)
	e.set(name, append(had, value))
}
