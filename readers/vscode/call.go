package vscode

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// call is a tool call: the model's request, the part that VS Code showed, and the
// call's end.
type call struct {
	tables.ToolCall
	native    string // id in the round
	joined    string // a joinedBy constant
	part      *part  // nil if no part was shown
	hasResult bool   // the model got a result
	byOrder   bool   // the result was matched to this call by order only
	result    string // text of the result
	images    []readers.Image
	round     *round // the round that made the call
	shownIn   *request
	child     string // session id of the subagent that the call started
	// resultSeen: another message of the model follows, so the model had the result.
	resultSeen bool
	outcome    outcome
	extra      readers.Extra
}

// part is a call as VS Code showed it to the user (FORMAT.md §3.2).
type part struct {
	id, toolID, name string
	nameIsGuess      bool
	source           string // internal, mcp, extension …
	decision         decision
	incomplete       bool // isComplete is false
	hidden           bool
	finished         bool // the call ended: the part has a pastTenseMessage, an exit code or the like
	title            string
	failed           bool // resultError or isError is set
	hasData          bool // the part has toolSpecificData: VS Code had the call's whole input
	output           string
	grown            tables.Paragraphs // output collected from several pieces
	images           []readers.Image
	input            string // valid JSON; empty if the part has no input
	file             string
	terminal         terminal
	subagent         string
	followedBy       following
	call             *call
}

// following says what followed a call in its answer: text of the model, another call, or
// a file edit.
type following struct{ text, call, edit bool }

var toolDataKinds = readers.SetOf(`terminal input todoList subagent extensions pullRequest simpleToolInvocation resources
	modifiedFilesConfirmation chatToolInvocation tasks todos mcpAppData search sessionCreated generatedImage
	automationConfigured agentFeedbackReviewConfirmation`)

// newRoundCall makes a call from a round's entry v. idKey is the key of its id.
func (c *chat) newRoundCall(r *request, v *fastjson.Value, idKey string) *call {
	t := &call{native: readers.Text(v, idKey), joined: joinedNone}
	t.ToolUseID = c.uniqueID(r, t.native)
	t.ToolName = c.words.Intern(v.GetStringBytes("name"))
	t.ToolKind = toolKind(t.ToolName, "")
	t.Line = r.line
	raw := v.Get("arguments")
	args := raw
	if raw != nil && raw.Type() == fastjson.TypeString {
		args, _ = c.parser.ParseBytes(raw.GetStringBytes())
	}
	switch {
	case args != nil && args.Type() == fastjson.TypeObject:
		t.readArguments(args)
	case raw != nil && readers.Text(raw) != "":
		t.Input = readers.Object(map[string]any{"arguments": readers.Text(raw)})
	}
	return t
}

// newShownCall makes a call from a part that VS Code showed and that is in no round. home
// is the round to which the call is added.
func (c *chat) newShownCall(r *request, p *part, home *round) *call {
	t := &call{native: p.id, round: home}
	t.joinTo(p, joinedNone)
	t.ToolUseID, t.Line = c.uniqueID(r, p.id), r.line
	t.ToolName, t.ToolKind = c.words.Intern([]byte(p.name)), toolKind(p.name, p.source)
	if args, err := c.parser.Parse(p.input); p.input != "" && err == nil && args.Type() == fastjson.TypeObject {
		t.readArguments(args)
	}
	return t
}

// readToolPart reads a tool part of the response.
func (c *chat) readToolPart(v *fastjson.Value) *part {
	c.kinds.RecordFields(v, "response content/toolInvocationSerialized", "")
	p := &part{
		id:         readers.Text(v, "toolCallId"),
		toolID:     c.words.Intern(v.GetStringBytes("toolId")),
		source:     readers.Text(v, "source", "type"),
		decision:   readDecision(v.Get("isConfirmed")),
		incomplete: v.Get("isComplete") != nil && !readers.Bool(v, "isComplete"),
		hidden:     readers.Text(v, "presentation") == "hidden",
		title:      markdown(v.Get("invocationMessage")),
		finished:   markdown(v.Get("pastTenseMessage")) != "",
		subagent:   cmp.Or(readers.Text(v, "subAgentInvocationId"), readers.Text(v, "fromSubAgent")),
		hasData:    v.Get("toolSpecificData").GetObject() != nil,
		file:       cmp.Or(linkedFile(v.Get("pastTenseMessage")), linkedFile(v.Get("invocationMessage"))),
	}
	if p.subagent == "" && readers.Bool(v, "fromSubAgent") {
		p.subagent = unnamedAgent
	}
	p.name, p.nameIsGuess = toolName(p.toolID)
	p.readDetails(v.Get("resultDetails"))
	if text := markdown(v.Get("resultError")); text != "" {
		p.failed, p.finished = true, true
		p.output = cmp.Or(p.output, text)
	}
	c.readToolData(p, v.Get("toolSpecificData"))
	return p
}

// readDetails reads a part's resultDetails: files, or a server's input and output.
func (p *part) readDetails(v *fastjson.Value) {
	if readers.IsNull(v) {
		return
	}
	p.finished = true
	if v.Type() != fastjson.TypeObject {
		return
	}
	p.failed = readers.Bool(v, "isError")
	if in := v.Get("input"); in != nil {
		p.input = readers.Text(in)
		if in.Type() == fastjson.TypeObject {
			p.input = readers.JSON(in)
		}
	}
	switch out := v.Get("output"); {
	case out == nil:
	case out.Type() == fastjson.TypeArray:
		for _, one := range out.GetArray() {
			p.addOutput(one)
		}
	case out.Type() == fastjson.TypeObject:
		p.addOutput(out)
	default:
		p.output = readers.Text(out)
	}
}

func (p *part) addOutput(v *fastjson.Value) {
	data := cmp.Or(readers.Text(v, "base64Data"), readers.Text(v, "value"))
	if media := readers.Text(v, "mimeType"); v.Exists("base64Data") || media != "" && !readers.Bool(v, "isText") {
		p.images = append(p.images, readers.ImageOf(media, []byte(data)))
		return
	}
	p.output = p.grown.Join(p.output, data)
}

// readToolData reads toolSpecificData, whose fields depend on the kind of tool.
func (c *chat) readToolData(p *part, v *fastjson.Value) {
	if v == nil || v.Type() != fastjson.TypeObject {
		return
	}
	kind := readers.Text(v, "kind")
	c.kinds.Count("tool data content/"+cmp.Or(kind, "(no kind)"), toolDataKinds[kind], "", noTime)
	switch kind {
	case "terminal":
		p.terminal = readTerminal(v)
		p.finished = p.finished || p.terminal.exitCode.OK
		if p.input == "" && p.terminal.command != "" {
			p.input = readers.Object(map[string]any{"command": p.terminal.command})
		}
	case "input":
		if raw := v.Get("rawInput"); raw != nil && raw.Type() == fastjson.TypeObject {
			p.input = readers.JSON(raw)
		}
	case "subagent":
		p.output = cmp.Or(p.output, readers.Text(v, "result"))
		if prompt := readers.Text(v, "prompt"); prompt != "" && p.input == "" {
			p.input = readers.Object(map[string]any{"prompt": prompt, "description": readers.Text(v, "description"), "agentName": readers.Text(v, "agentName")})
		}
	}
}

// resolve fills in a call's missing fields from its part, and determines how it ended.
func (t *call) resolve(r *request, at time.Time) {
	t.Timestamp = at
	t.extra = readers.Extra{"join": t.joined}
	if t.part != nil {
		t.fillFrom(t.part)
		t.part.addExtra(t.extra)
	}
	t.extra.Images(t.images)
	if t.byOrder {
		t.extra.Set("result_join", joinedByOrder)
	}
	if t.shownIn != nil {
		t.extra.Set("continued_in", t.shownIn.id)
	}
	t.outcome = inferOutcome(t, cmp.Or(t.shownIn, r))
	t.extra.Flag("abandoned", t.outcome.abandoned)
}

// fillFrom takes fields that the model's call lacks from the part that VS Code showed.
func (t *call) fillFrom(p *part) {
	if t.Input == "" && json.Valid([]byte(p.input)) {
		t.Input = p.input
	}
	if t.ToolKind == tables.ToolOther {
		t.ToolKind = toolKind(t.ToolName, p.source)
	}
	if t.ToolKind == tables.ToolCommand && p.terminal.command != "" {
		t.Command = p.terminal.command
	}
	if t.FilePath == "" && (t.ToolKind == tables.ToolEdit || t.ToolKind == tables.ToolRead) {
		t.FilePath = p.file
	}
	if !p.terminal.started.IsZero() {
		t.Timestamp = p.terminal.started
	}
	if language := p.terminal.language; language != "" && !posixShells[language] {
		t.Parts = func(string) []string { return nil } // a shell whose grammar we don't parse
	}
	if len(t.images) == 0 {
		t.images = p.images
	}
}

// addExtra records in extra how a call was approved and shown.
func (p *part) addExtra(extra readers.Extra) {
	for key, s := range map[string]string{
		"tool_id":                p.toolID,
		"approval":               p.decision.word(),
		"approval_by":            p.decision.detail,
		"proposed_command":       p.terminal.proposed,
		"auto_approval":          p.terminal.autoApproval,
		"cwd":                    p.terminal.cwd,
		"subagent_invocation_id": p.subagent,
	} {
		extra.Text(key, s)
	}
	extra.Flag("background", p.terminal.background)
	extra.Flag("user_edited", p.terminal.edited)
}

// setCarried keeps the calls that have no result because the answer reached the limit of
// rounds (FORMAT.md §4.3). VS Code then asks "Continue to iterate?", and runs these
// calls in the next request. Calls that already have a part in this request are left
// out.
func (c *chat) setCarried(r *request, exceeded bool) {
	if r.removed {
		return
	}
	c.carried = nil
	for _, t := range r.lastCalls() {
		if exceeded && t.part == nil && !t.hasResult {
			c.carried = append(c.carried, t)
		}
	}
}

// carriedCalls returns the calls that setCarried kept from the previous request, if this
// request was sent by a button. Otherwise it returns nil.
func (c *chat) carriedCalls(r *request) []*call {
	if r.removed || !r.button {
		return nil
	}
	return slices.Clone(c.carried)
}

// markContinued marks the calls of the previous request that VS Code shows in this
// request. If the user stops this request, the stop may have ended these calls.
func (r *request) markContinued(shown []item, home map[*call]*round) {
	for _, it := range shown {
		if it.tool != nil && it.tool.call != nil && home[it.tool.call] == nil {
			it.tool.call.shownIn = r
			r.continued = append(r.continued, it.tool.call)
		}
	}
}

// lastCalls returns the calls of the last round that has calls; nil if none has.
func (r *request) lastCalls() []*call {
	for _, b := range slices.Backward(r.rounds) {
		if len(b.calls) > 0 {
			return b.calls
		}
	}
	return nil
}

// terminal is what a part records about a shell command (FORMAT.md §3.2).
type terminal struct {
	original          string // as the model proposed it
	command, proposed string // proposed is the model's command, if the user edited it
	edited            bool   // by the user
	autoApproval      string // sentence by which a rule explains why VS Code did or didn't ask
	language          string // language of its shell
	cwd               string
	background        bool
	exitCode          tables.Maybe[int64]
	duration          tables.Maybe[int64]
	started           time.Time
	output            string
}

// posixShells lists the terminal languages whose commands can be split.
var posixShells = readers.SetOf("sh bash zsh dash ksh shellscript")

func readTerminal(v *fastjson.Value) terminal {
	line := v.Get("commandLine")
	proposed := cmp.Or(readers.Text(line, "toolEdited"), readers.Text(line, "original"), readers.Text(line), readers.Text(v, "command"))
	t := terminal{
		original:   readers.Text(line, "original"),
		command:    cmp.Or(readers.Text(line, "userEdited"), proposed),
		cwd:        readLocation(v.Get("cwd")).path,
		edited:     readers.Text(line, "userEdited") != "",
		language:   readers.Text(v, "language"),
		background: readers.Bool(v, "isBackground"),
		exitCode:   readers.Count(v, "terminalCommandState", "exitCode"),
		duration:   readers.Count(v, "terminalCommandState", "duration"),
		started:    readers.Time(v.Get("terminalCommandState", "timestamp")),
		output:     readers.Text(v, "terminalCommandOutput", "text"),

		autoApproval: markdown(v.Get("autoApproveInfo")),
	}
	if t.command != proposed {
		t.proposed = proposed
	}
	return t
}
