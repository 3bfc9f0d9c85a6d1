package tables

import "time"

// Event is one fact that a reader found in a log. The set is closed: the types
// of this file. Strings must stay valid after the call that emits them.
// An empty string, a zero time and a zero Maybe mean "not recorded". A reader
// may complete an event that it has emitted until its Read returns.
type Event interface{ event() }

// Session opens, or comes back to, a session: the events after it belong to
// it. Of several Session events with one SessionID the last one's facts stand.
type Session struct {
	SessionID       string // unique among the agent's sessions
	NativeID        string // the agent's own id, where SessionID had to be made unique
	Kind            string // a SessionKind constant
	ParentSessionID string // the session that started this one as a subagent or helper
	ForkedFrom      string // the session whose beginning was copied into this one
	Continues       string // the session that this one is, in a file of its own: Links make one of them
	ContinuesAt     int64  // the number of that session's first line that was undone before
	Title           string
	Project         string // working directory
	// ProjectKeys are names by which a [ProjectNote] may tell the project, the
	// surest first. What it tells stands before Project.
	ProjectKeys  []string
	GitBranch    string
	GitCommit    string
	GitRemote    string
	Origin       string // cli, ide, sdk, exec …, in the agent's own word
	AgentVersion string // of the last line that names one
	CostUSD      Maybe[float64]
	Extra        string // JSON object
}

// Numbering says that the lines of the file, from Line on, are numbered onwards
// from Ordinal, up to the next Numbering. The numbers go on in the files that
// continue the session, see Session.Continues.
type Numbering struct {
	Line, Ordinal int64
}

// Message is a message as the model API sees it, or one part of it: events of
// one session with equal MessageID are parts of one message, whose texts are
// joined and whose tokens are counted once (those of the part with the largest
// output). The events after a Message belong to it, until the next one.
type Message struct {
	UUID             string
	ParentUUID       string
	MessageID        string // the API's id; empty where it has none
	OriginSessionID  string // session id on the line itself, where it is not this session's
	Role             string // a Role constant
	Kind             string // a MessageKind constant
	TypedBy          string // of a prompt or a command; empty: by a person
	Text             string
	Thinking         string
	Model            string
	StopReason       string
	Timestamp        time.Time
	InputTokens      Maybe[int64]
	OutputTokens     Maybe[int64]
	CacheReadTokens  Maybe[int64]
	CacheWriteTokens Maybe[int64]
	ReasoningTokens  Maybe[int64]
	TokensReliable   Maybe[bool] // true on any part makes the message's tokens reliable
	RequestID        string
	IsSidechain      bool
	BeginsTurn       bool  // put in by the program to begin a turn of its own, as after a crash; prompts and commands do without it
	Line             int64 // 1-based
	Extra            string

	growing *growing // nil while the texts are of one part each
}

// Inactive says that messages left the conversation's active line: they stand
// on an abandoned branch, or were rewound.
type Inactive struct {
	UUIDs []string
}

// ToolCall is a call that the current message makes.
type ToolCall struct {
	ToolUseID string
	// ParentToolUseID is the script, an earlier call, that made this one. It
	// then stands in that call's message, after its batch, and its result in
	// the message that brought the script's.
	ParentToolUseID string
	ToolName        string
	ToolKind        string // a ToolKind constant
	Input           string // valid JSON
	FilePath        string
	Command         string
	Edits           func() []Edit                 // what an edit tool would change; called only for a refused call; nil where unknown
	Diff            func() string                 // the same as a unified diff, where the log holds one; stands before Edits
	Parts           func(command string) []string // splits Command, see tool_calls.command_parts; called only where a person decided; nil where unknown
	Open            bool                          // without a result it is pending, whatever became of its batch: it isn't lost
	Timestamp       time.Time
	Line            int64
	Extra           string
}

// Edit is one replacement that an edit tool proposes. Old is empty for a file
// written whole.
type Edit struct {
	Path, Old, New string
}

// ToolResult ends a call. It may come before its call, and without one. Of
// several results for one call the last whose Status is not skipped stands.
type ToolResult struct {
	ToolUseID         string
	Output            string
	Status            string // a Status constant
	ErrorType         string // an ErrorType constant; empty when the call worked
	ExitCode          Maybe[int64]
	DurationMS        Maybe[int64] // as recorded; else computed from the times of call and result
	DurationUnknown   bool         // those times say nothing of it: call and result were written at one time
	Timestamp         time.Time
	SubagentSessionID string
	Extra             string
}

// Decision says what was decided about a call before it ran, or didn't. A
// Rejection is a decision too: none is needed beside it, but for what only a
// Decision says. Of several about one call what a later one says stands, field
// by field.
type Decision struct {
	ToolUseID  string
	Decision   string       // a Decision constant; empty: as the call's Rejection says
	DecidedBy  string       // a DecidedBy constant; empty: as the call's Rejection says
	Scope      string       // a Scope constant; empty where not recorded
	WaitedMS   Maybe[int64] // how long the agent waited for a person
	Confidence float64      // 0 stands for 1

	WaitUnknown bool // the times of a call and its refusal don't tell how long a person took
}

// Rejection says that somebody, or some rule, refused a call. Calls that went
// down with a refused one of their batch are found by the rows: a reader tells
// of their ends only.
type Rejection struct {
	ToolUseID      string
	RejectionType  string // a RejectionType constant; empty: by the kind of the refused tool
	DecidedBy      string // a DecidedBy constant
	DenialKind     string // the agent's own word for the denial
	Reason         string // the user's own words; of a hook or a classifier, what it said
	Cascaded       bool   // not refused itself; no reader sets it
	CauseToolUseID string // of a cascaded one
	Evidence       string // an Evidence constant
	Confidence     float64
	Void           bool // there was none, as far as the log tells: a later line may show the one or the other
	Timestamp      time.Time
}

// Failure says that a request to the model failed: the current message tells of
// it. The rows make a stop by the system of it if its turn got no answer after
// it, see failures.go; no reader looks for that answer.
type Failure struct {
	CutUUID        string // the part of an answer that came before it; empty for none
	CutMessageID   string // the same by its API message
	PartialOutput  string // empty: the text of that part
	PartialUnknown bool   // the log doesn't keep what had been said
	Marker         string
	Retried        bool // the log says that the program tries again
	Void           bool // there was none, as far as the log tells: a later line may show that
	Evidence       string
	Confidence     float64
	Timestamp      time.Time
}

// Interruption says that the user stopped the agent, or that the system did and
// recorded it: a shutdown, a hook, a time-out. Of a request that failed see
// [Failure].
type Interruption struct {
	Type            string // InterruptedByUser or InterruptedBySystem
	Phase           string // a Phase constant
	CutUUID         string // the line it cut, or stands behind, if the log says so; else the message before. Only a response can have been cut
	CutMessageID    string // the API message it cut, if the log says so
	CutNothing      bool   // the log holds nothing of what it cut
	ToolUseID       string
	PartialOutput   string // empty: the text of the response that it cut
	PartialUnknown  bool   // the log doesn't keep what had been said
	Marker          string
	PairedRejection bool
	Evidence        string
	Confidence      float64
	Void            bool // there was none, as Rejection.Void
	Timestamp       time.Time
}

// Compaction says that the messages before the current one were replaced by a
// summary.
type Compaction struct {
	UUID              string
	LogicalParentUUID string
	Trigger           string // auto, manual; empty when not recorded
	TriggerInferred   bool
	PreTokens         Maybe[int64]
	PostTokens        Maybe[int64]
	TokensEstimated   bool
	DurationMS        Maybe[int64]
	Summary           string
	SummarySource     string   // a SummarySource constant
	PreservedUUIDs    []string // of messages that it left as they were
	// ReplacedUUIDs are the messages that it replaced, where a reader works them
	// out, and those without a UUID; nil: all before it, but for the preserved.
	ReplacedUUIDs []string
	Timestamp     time.Time
}

// Clear is one trace of a clear: a line of the prompt history, or the first
// lines of the session that a clear opened. [Links] makes one row of the
// traces of one clear.
type Clear struct {
	UUID          string // of the line; copies of a line are one trace
	SessionID     string // the session that ended; empty when this trace doesn't say
	NextSessionID string // the session that began; likewise
	NextPrompt    string // it began with this prompt; its id, and when, stand in its log only
	InSession     bool   // the clear stands inside the current session and ends its segment
	Trigger       string // ClearByCommand or ClearByPlan; empty where the agent has no command for it
	Command       string // as typed: /clear, /new
	Project       string
	Timestamp     time.Time
	Evidence      string // EvidenceHistory, EvidenceSessionStart, EvidenceQueue, or EvidenceInferred: the session may have begun in a clear
	Confidence    float64
}

// Prompt is an input that the agent's history file keeps.
type Prompt struct {
	SessionID string
	Project   string
	Text      string
	IsCommand bool
	Timestamp time.Time
}

// SessionNote is what a file that many sessions share says of one of them. It
// stands before what the session's own log says.
type SessionNote struct {
	SessionID string
	Title     string
}

// ProjectNote is a name that a file which many logs share gives a project; see
// Session.ProjectKeys.
type ProjectNote struct {
	Key     string
	Project string
}

// FileProject says that a [ProjectNote] may tell the project of the file's
// prompts and clears, which stand in no session.
type FileProject struct {
	Project string   // as the prompts and clears have it
	Keys    []string // as Session.ProjectKeys
}

// RecordKind counts the records of one kind in a file, whether or not they
// became rows.
type RecordKind struct {
	Kind                      string
	Known                     bool
	Lines                     int64
	FirstVersion, LastVersion string // of the agent, by its own order of versions
	FirstSeen, LastSeen       time.Time
}

// RecordField is a field that the reader's list doesn't have for a kind of
// record, or, with kind FieldNewerVersion, a version of the agent that is newer
// than any whose logs were tested.
type RecordField struct {
	Kind         string
	Field        string // up to three keys joined by dots; [] for a list's elements, * for a key that is data
	FirstVersion string // lowest version of the agent that wrote it
	Lines        int64  // occurrences
	Example      string // type and length of the first; never a value
}

// Problem is a line, or a whole file (Line 0), that could not be read.
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
func (*FileProject) event()  {}
func (*RecordKind) event()   {}
func (*RecordField) event()  {}
func (*Problem) event()      {}

// Maybe is a value that may be missing. Its zero value is missing.
type Maybe[T any] struct {
	Value T
	OK    bool
}

// Some is a value that is there.
func Some[T any](v T) Maybe[T] { return Maybe[T]{v, true} }
