package cline

import (
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// modelMessage is one message between the extension and the model (FORMAT.md §9.3).
type modelMessage struct {
	results []string // results of the calls before it, without their headings
	resumes bool     // the task was resumed here, so the calls before it may have no result
}

// readModel reads what the model saw: the answers to the calls, and the folder. A
// damaged file is a problem, and costs its facts only.
func (t *task) readModel() (project string, problem *tables.Problem, err error) {
	data, err := t.in.ReadFile(path.Join(tasksFolder, t.at.folder, modelFile))
	if err != nil {
		return "", nil, readers.IgnoreNotExist(err)
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil || v.Type() != fastjson.TypeArray {
		return "", &tables.Problem{What: modelFile + ": no JSON list; its facts are missing"}, nil //nolint:nilerr // the problem is emitted
	}
	for _, m := range v.GetArray() {
		role := readers.Text(m, "role")
		t.kinds.Record(m, "model "+kindOf(m, role), role == "user" || role == "assistant", "", readers.Time(m.Get("ts")))
		var x modelMessage
		if role == "user" {
			texts := readTexts(m.Get("content"))
			x = parseModelMessage(texts)
			if project == "" {
				project = folderIn(texts)
			}
		}
		t.model = append(t.model, x)
	}
	return project, nil, nil
}

// readTexts returns the texts of a message, those in results included.
func readTexts(v *fastjson.Value) (texts []string) {
	if readers.Is(v, fastjson.TypeString) {
		return []string{readers.Text(v)}
	}
	for _, b := range v.GetArray() {
		switch readers.Text(b, "type") {
		case "text":
			texts = append(texts, readers.Text(b, "text"))
		case "tool_result":
			texts = append(texts, readTexts(b.Get("content"))...)
		}
	}
	return texts
}

const heading = "] Result:"

// parseModelMessage finds the results in a message's texts. A result has a heading, such
// as [read_file for 'x'] Result:, at its beginning or in a text of its own.
func parseModelMessage(texts []string) (x modelMessage) {
	for i, text := range texts {
		if strings.HasPrefix(text, resumption) {
			x.resumes = true
		}
		first, rest, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(first, "[") || !strings.HasSuffix(first, heading) {
			continue
		}
		if rest == "" && i+1 < len(texts) {
			rest = texts[i+1]
		}
		x.results = append(x.results, rest)
	}
	return x
}

// folderIn returns the working directory that the extension names to the model.
func folderIn(texts []string) string {
	for _, text := range texts {
		if !strings.Contains(text, "<environment_details>") {
			continue
		}
		for _, begin := range []string{"# Current Working Directory (", "# Current Workspace Directory ("} {
			if _, rest, ok := strings.Cut(text, begin); ok {
				folder, _, _ := strings.Cut(rest, ")")
				return folder
			}
		}
	}
	return ""
}

// The extension's words about a call that the user refused.
const (
	taskDenied         = "The user denied this operation."
	taskDeniedFeedback = "The user denied this operation and provided the following feedback:\n<feedback>\n"
)

// taskRefusal is a refusal in a task.
var taskRefusal = refusal{status: tables.StatusRejected, by: tables.ByUser, confidence: taskConfidence}

// taskForbidden is a refusal by a setting.
var taskForbidden = refusal{status: tables.StatusDenied, by: tables.ByRule, confidence: taskConfidence}

// matchDenial reports whether a result says that the user refused the call, and the
// words in it.
func matchDenial(body string) (denied bool, reason string) {
	if rest, ok := strings.CutPrefix(body, taskDeniedFeedback); ok {
		reason, ok = strings.CutSuffix(strings.TrimSpace(rest), feedbackEnd)
		return ok, reason
	}
	return strings.TrimSpace(body) == taskDenied, ""
}
