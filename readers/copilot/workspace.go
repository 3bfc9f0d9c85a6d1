package copilot

import (
	"strconv"
	"strings"
)

// workspace is the content of workspace.yaml, beside the events (FORMAT.md §1).
type workspace struct {
	name, folder, branch, client string
	named                        bool // by the user
}

// parseWorkspace reads the file's few keys: plain, quoted and folded scalars at the
// outermost level.
func parseWorkspace(text string) workspace {
	var w workspace
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.TrimLeft(key, " \t-#") != key {
			continue
		}
		value = scalar(strings.TrimSpace(value), lines[i+1:])
		switch key {
		case "name":
			w.name = value
		case "cwd":
			w.folder = value
		case "branch":
			w.branch = value
		case "client_name":
			w.client = value
		case "user_named":
			w.named = value == "true"
		}
	}
	return w
}

// scalar returns the value of a key. value is the text after the colon, below holds the
// next lines.
func scalar(value string, below []string) string {
	switch {
	case value == "" || value == "null" || value == "~":
		return ""
	case value[0] == '|' || value[0] == '>':
		return block(value[0] == '>', below)
	case value[0] == '"':
		if s, err := strconv.Unquote(value); err == nil {
			return s
		}
		return strings.Trim(value, `"`)
	case value[0] == '\'' && len(value) > 1 && strings.HasSuffix(value, "'"):
		return strings.ReplaceAll(value[1:len(value)-1], "''", "'")
	}
	return value
}

// block returns an indented text of several lines.
func block(folded bool, below []string) string {
	var kept []string
	for _, line := range below {
		if line != "" && line[0] != ' ' {
			break
		}
		kept = append(kept, strings.TrimSpace(line))
	}
	if folded {
		return strings.TrimSpace(strings.Join(kept, " "))
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
