package tables

import "time"

// Event is one fact from a log. The set is closed: the types of this file. Strings of
// an event must stay valid after Emit. An empty string, a zero time and a zero Maybe
// mean "not recorded". A reader may still complete an emitted event until Read returns.
type Event interface{ event() }

// Session opens a session or returns to one. The following events belong to the
// session. Of several Session events with the same SessionID the last counts.
type Session struct {
	SessionID       string // unique among the agent's sessions
	NativeID        string // the agent's own id if SessionID had to be made unique
	Kind            string // a SessionKind constant
	ParentSessionID string // parent session; set for a subagent or helper
	ForkedFrom      string // session with the original of this session's copied beginning
	Continues       string // session continued by this file; Links merge both into one session
	ContinuesAt     int64  // number of the first line of Continues undone before this file's start
	Title           string
	About           string // what the session is about, if no title and no prompt says so
	Project         string // working directory
	// ProjectKeys lists keys under which a [ProjectNote] may name the project, the
	// surest first. A matching note overrides Project.
	ProjectKeys []string
	// ApprovalKey is the name under which an [Approval] may speak of the session's
	// calls; empty if the agent keeps no approvals apart.
	ApprovalKey  string
	GitBranch    string
	GitCommit    string
	GitRemote    string
	Origin       string // cli, ide, sdk, exec …, in the agent's own word
	AgentVersion string // from the last line with a version
	CostUSD      Maybe[float64]
	Extra        string // JSON object
}

// Numbering numbers the lines of the file, from Line on, starting at Ordinal, up to the
// next Numbering. Files that continue the session continue the numbers, see
// Session.Continues.
type Numbering struct {
	Line, Ordinal int64
}

// Message is a message in the model API's sense, or a part of one. Events of one
// session with equal MessageID are parts of one message: their texts are joined, and
// tokens are counted once, from the part with the largest output. The events after a
// Message belong to it, until the next Message.
//
// A reader emits a turn in this order: a Message of KindPrompt; one of KindResponse, and
// the response's calls; one of KindToolResult, if results have lines of their own in the
// log, and the results. A ToolCall after the results' Message belongs to that Message, not
// to the response. To return to the response, emit a Message with the same MessageID and
// without text.
type Message struct {
	UUID             string
	ParentUUID       string
	MessageID        string // the API's id; empty if unknown
	OriginSessionID  string // session id on the line, if different from SessionID
	Role             string // a Role constant
	Kind             string // a MessageKind constant
	TypedBy          string // of a prompt or command; empty for a person
	Text             string
	TypedText        string // the author's own words in Text; empty if Text has no others
	Thinking         string
	Model            string
	StopReason       string
	Timestamp        time.Time
	InputTokens      Maybe[int64]
	OutputTokens     Maybe[int64]
	CacheReadTokens  Maybe[int64]
	CacheWriteTokens Maybe[int64]
	CacheWrite1h     Maybe[int64] // the part of CacheWriteTokens kept for an hour
	ReasoningTokens  Maybe[int64]
	TokensReliable   Maybe[bool] // if true on any part, the message's tokens are reliable; false if an answer comes without its input
	RequestID        string
	IsSidechain      bool
	BeginsTurn       bool  // injected by the program to begin a turn, as after a crash; not set on prompts and commands
	Line             int64 // 1-based
	Extra            string

	growing *growing // nil until a text gets a second part
}

// Inactive lists messages off the conversation's active line: rewound, or on an
// abandoned branch.
type Inactive struct {
	UUIDs []string
}

// ToolCall is a call made by the current message, a response. Emit all calls of a
// response before the message with their results, see [Message].
type ToolCall struct {
	ToolUseID string
	// ParentToolUseID is the script (an earlier call) that made this call; empty if the
	// model did. A script's call belongs to the script's message, after the model's
	// batch. Its result belongs to the message with the script's result.
	ParentToolUseID string
	ToolName        string
	ToolKind        string // a ToolKind constant
	Input           string // valid JSON
	FilePath        string
	Command         string
	Edits           func() []Edit                 // edits proposed by an edit tool; called only for a refused call; nil if unknown
	Diff            func() string                 // the edits as a unified diff, if the log has one; overrides Edits
	Parts           func(command string) []string // splits Command, see tool_calls.command_parts; called only if a person decided; nil if unknown
	Open            bool                          // without a result, the call is pending, never lost, even if a call of its batch was refused
	Timestamp       time.Time
	Line            int64
	Extra           string
}

// Edit is a replacement proposed by an edit tool. Old is empty if the whole file is
// written.
type Edit struct {
	Path, Old, New string
}

// ToolResult ends a call, and was brought by the current message: one of KindToolResult,
// or the response, if results have no lines of their own. The call may come later, or be
// missing. Of several results for a call, the last whose Status isn't skipped counts.
type ToolResult struct {
	ToolUseID         string
	Output            string
	Status            string // a Status constant
	ErrorType         string // an ErrorType constant; empty when the call worked
	ExitCode          Maybe[int64]
	DurationMS        Maybe[int64] // as recorded; if missing, computed from the times of call and result
	DurationUnknown   bool         // call and result were written at the same time, so their times give no duration
	Timestamp         time.Time
	SubagentSessionID string
	EditKept          string   // an EditKept constant; empty if the log doesn't show what became of the edit
	Answers           []Answer // of a call that asks questions; nil if none was answered
	InBackground      bool     // the call went on in the background, after its batch: no keypress at the batch ended it
	StandIn           bool     // a copy of the session or a restart wrote the result, because the call had none
	// Refusal is the refusal in a result whose call the log lacks, if only the call could
	// prove it: a server may have written the words. Status fits the refusal. It counts if
	// another log has the call, and the call is no server's.
	Refusal *Rejection
	Extra   string
}

// Decision records a decision about a call, made before the call ran or in place of a
// run. A Rejection already is a decision: add a Decision only for facts missing from
// the Rejection. Of several Decisions about a call, a later one overrides, field by
// field.
type Decision struct {
	ToolUseID  string
	Decision   string       // a Decision constant; empty means as in the call's Rejection
	DecidedBy  string       // a DecidedBy constant; empty means as in the call's Rejection
	Scope      string       // a Scope constant; empty if not recorded
	WaitedMS   Maybe[int64] // how long the agent waited for a person
	Confidence float64      // 0 means 1

	WaitUnknown bool // the times of call and refusal don't give the person's wait
}

// Rejection records a call refused by a person or a rule. Readers emit no Rejection for
// calls dropped with a refused call of their batch, only those calls' results:
// [File.Join] adds the cascaded rejections.
type Rejection struct {
	ToolUseID      string
	RejectionType  string // a RejectionType constant; empty means by the kind of the refused tool
	DecidedBy      string // a DecidedBy constant
	DenialKind     string // the agent's own word for the denial
	Reason         string // the user's own words, or the message of a hook or classifier
	Cascaded       bool   // dropped with a refused call; never set by readers
	CauseToolUseID string // the refused call, if Cascaded
	Evidence       string // an Evidence constant
	Confidence     float64
	Void           bool // no rejection, as far as the log shows; a later line may change the verdict
	Timestamp      time.Time
}

// Failure records a failed request to the model, reported by the current message. If
// the turn has no answer after the failure, [File.Join] makes it a stop by the system,
// see failures.go. Readers needn't look for that answer.
type Failure struct {
	CutUUID        string // uuid of the partial answer before the failure; empty if none
	CutMessageID   string // API id of that partial answer
	PartialOutput  string // empty means the text of the partial answer
	PartialUnknown bool   // the log doesn't keep what had been said
	Marker         string
	Retried        bool // the log announces a retry of the request
	Void           bool // no failure, as far as the log shows; a later line may change the verdict
	Evidence       string
	Confidence     float64
	Timestamp      time.Time
}

// Interruption records a stop by the user, or a stop by the system recorded in the log:
// a shutdown, a hook, a time-out. For failed requests see [Failure].
type Interruption struct {
	Type            string // InterruptedByUser or InterruptedBySystem
	Phase           string // a Phase constant
	CutUUID         string // uuid of the cut line, or of the line before the stop, if recorded; empty means the message before. Only a response can have been cut
	CutMessageID    string // API message of the cut response, if the log has it
	CutNothing      bool   // the log holds nothing of the cut response
	MessageUUID     string // the message at the stop, if the log records the stop later; empty means the current message
	ToolUseID       string
	PartialOutput   string // empty means the text of the cut response
	PartialUnknown  bool   // the log doesn't keep what had been said
	Marker          string
	PairedRejection bool
	Files           []string // files changed since the prompt; nil if the log has no list
	Evidence        string
	Confidence      float64
	Void            bool // no interruption, like Rejection.Void
	Timestamp       time.Time
}

// Compaction replaces the messages before the current one by a summary.
type Compaction struct {
	UUID              string
	LogicalParentUUID string
	Trigger           string // auto, manual; empty if not recorded
	TriggerInferred   bool
	PreTokens         Maybe[int64]
	PostTokens        Maybe[int64]
	TokensEstimated   bool
	DurationMS        Maybe[int64]
	Summary           string
	SummarySource     string   // a SummarySource constant
	PreservedUUIDs    []string // of messages not replaced
	// ReplacedUUIDs lists the replaced messages, if the reader knows them; messages
	// without a UUID count as replaced, too. nil means all earlier messages except
	// PreservedUUIDs.
	ReplacedUUIDs []string
	Timestamp     time.Time
}

// Clear is one trace of a clear: a line of the prompt history, or the first lines of
// the session opened by the clear. [Links] merge all traces of a clear into one row.
type Clear struct {
	UUID          string // of the line; copies of a line count as one trace
	SessionID     string // ended session; empty if not in this trace
	NextSessionID string // session opened by the clear; empty if not in this trace
	NextPrompt    string // first prompt of the new session, whose id and start only its own log has
	InSession     bool   // the clear is inside the current session and ends its segment
	Trigger       string // ClearByCommand or ClearByPlan; empty if the agent has no command for clears
	Command       string // as typed: /clear, /new
	Project       string
	Timestamp     time.Time
	Evidence      string // EvidenceHistory, EvidenceSessionStart, EvidenceQueue, EvidenceProcess, or EvidenceInferred if the session may have begun in a clear, or if the reader infers both sessions
	Confidence    float64
}

// Prompt is an input from the agent's history file.
type Prompt struct {
	SessionID string
	Project   string
	Text      string
	IsCommand bool
	Timestamp time.Time
}

// SessionNote is a fact about one session from a file shared by many. The note
// overrides the session's own log.
type SessionNote struct {
	SessionID string
	Title     string
}

// ProjectNote is a key for a project, from a file shared by many logs; see
// Session.ProjectKeys.
type ProjectNote struct {
	Key     string
	Project string
}

// Approval is a question about a call, and its answer, from a file shared by many
// sessions. It overrides what the session's own log has about the decision.
type Approval struct {
	Key        string // the session's ApprovalKey
	ToolUseID  string // as the model numbers its calls
	Decision   string // a Decision constant
	DecidedBy  string // a DecidedBy constant
	Scope      string // a Scope constant; empty if not recorded
	Status     string // StatusRejected or StatusDenied for a refusal; empty otherwise
	StoppedBy  string // an Interruption type if the call was stopped at the question; empty otherwise
	DenialKind string // the agent's own word for the end of the question
	WaitedMS   Maybe[int64]
	Command    string                        // the command that was asked about
	Parts      func(command string) []string // as ToolCall.Parts; called only if a person decided
	AskedAt    time.Time
	AnsweredAt time.Time
}

// FileProject allows a [ProjectNote] to name the project of the file's prompts and
// clears, which belong to no session.
type FileProject struct {
	Project string   // project recorded for the prompts and clears
	Keys    []string // as Session.ProjectKeys
}

// RecordKind counts the records of a kind in a file, including records without rows.
type RecordKind struct {
	Kind                      string
	Known                     bool
	Lines                     int64
	FirstVersion, LastVersion string // of the agent, compared as versions
	FirstSeen, LastSeen       time.Time
}

// RecordField is a field of a record that is missing in the reader's list for the
// record's kind. With kind FieldNewerVersion, it is a version of the agent newer than
// all tested versions.
type RecordField struct {
	Kind         string
	Field        string // up to three keys joined by dots; [] for a list's elements, * for keys that are data
	FirstVersion string // lowest version of the agent with the field
	Lines        int64  // occurrences
	Example      string // type and length of the first occurrence; never a value
}

// Problem is an unreadable line, or an unreadable file (Line 0).
type Problem struct {
	Line       int64 // 1-based
	ByteOffset int64 // of the damage, from the start of the file
	What       string
	Excerpt    string // at most 200 bytes, valid UTF-8
}

func (*Session) event()      {}
func (*Numbering) event()    {}
func (*Message) event()      {}
func (*Inactive) event()     {}
func (*ToolCall) event()     {}
func (*ToolResult) event()   {}
func (*Decision) event()     {}
func (*Rejection) event()    {}
func (*Failure) event()      {}
func (*Interruption) event() {}
func (*Compaction) event()   {}
func (*Clear) event()        {}
func (*Prompt) event()       {}
func (*SessionNote) event()  {}
func (*ProjectNote) event()  {}
func (*Approval) event()     {}
func (*FileProject) event()  {}
func (*RecordKind) event()   {}
func (*RecordField) event()  {}
func (*Problem) event()      {}

// Maybe is an optional value. The zero Maybe is missing.
type Maybe[T any] struct {
	Value T
	OK    bool
}

// Or returns the value, or other if the value is missing.
func (m Maybe[T]) Or(other T) T {
	if m.OK {
		return m.Value
	}
	return other
}

// Some returns v as a present value.
func Some[T any](v T) Maybe[T] { return Maybe[T]{v, true} }
