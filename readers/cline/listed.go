package cline

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// listLimit is the largest size in bytes of a list of tasks that is searched.
const listLimit = 16 << 20

// listed returns a task's title and folder, as the list of all tasks has them
// (FORMAT.md §9.1); empty if the list lacks the task. The list is written with each task,
// so a later change of it is no change of this one.
func (t *task) listed() (title, folder string) {
	f, err := t.in.Aside(tasksFile)
	if err != nil {
		return "", "" // then only the task's own files tell
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, listLimit))
	if err != nil {
		return "", ""
	}
	at := bytes.Index(data, []byte(`"id":"`+t.at.folder+`"`))
	start := bytes.LastIndexByte(data[:max(at, 0)], '{')
	if at < 0 || start < 0 {
		return "", ""
	}
	var item struct {
		ID     string `json:"id"`
		Task   string `json:"task"`
		Folder string `json:"cwdOnTaskInitialization"`
	}
	if err := json.NewDecoder(bytes.NewReader(data[start:])).Decode(&item); err != nil || item.ID != t.at.folder {
		return "", ""
	}
	title, _, _ = strings.Cut(strings.TrimSpace(item.Task), "\n")
	return title, item.Folder
}
