package engine_test

import (
	"bytes"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// logs returns the files below the home whose path matches a pattern.
func (w *logWalk) logs(pattern string) (paths []string) {
	w.T.Helper()
	re := regexp.MustCompile(pattern)
	must(w.T, filepath.WalkDir(w.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && re.MatchString(filepath.ToSlash(path)) {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// pick returns a random element of the list; empty if the list is.
func (w *logWalk) pick(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[w.random.IntN(len(list))]
}

func (w *logWalk) short(path string) string {
	rel, err := filepath.Rel(w.Dir, path)
	must(w.T, err)
	return rel
}

// root returns an agent's existing folder, and a free path for a further folder.
func (w *logWalk) root() (from, free string) {
	agent := w.pick(slices.Sorted(maps.Keys(walkRoots)))
	w.random.Shuffle(len(w.Roots[agent]), func(i, j int) { w.Roots[agent][i], w.Roots[agent][j] = w.Roots[agent][j], w.Roots[agent][i] })
	for _, path := range w.Roots[agent] {
		if _, err := os.Stat(path); err == nil {
			from = path
		} else {
			free = path
		}
	}
	return from, free
}

func (w *logWalk) moveRoot() string {
	from, to := w.root()
	if from == "" || to == "" {
		return ""
	}
	must(w.T, os.MkdirAll(filepath.Dir(to), 0o755))
	must(w.T, os.Rename(from, to))
	return "move " + w.short(from) + " " + w.short(to)
}

func (w *logWalk) copyRoot() string {
	from, to := w.root()
	if from == "" || to == "" {
		return ""
	}
	must(w.T, os.CopyFS(to, os.DirFS(from)))
	return "copy " + w.short(from) + " " + w.short(to)
}

// dropRoot removes a folder whose logs all lie in another folder, too.
func (w *logWalk) dropRoot() string {
	from, _ := w.root()
	others := map[string]bool{}
	for _, path := range w.logs(`.`) {
		if !strings.HasPrefix(path, from+string(filepath.Separator)) {
			others[w.sum(path)] = true
		}
	}
	if from == "" {
		return ""
	}
	for _, path := range w.logs("^" + regexp.QuoteMeta(filepath.ToSlash(from)) + "/") {
		if !others[w.sum(path)] {
			return ""
		}
	}
	must(w.T, os.RemoveAll(from))
	return "remove " + w.short(from)
}

func (w *logWalk) sum(path string) string {
	text, err := os.ReadFile(path)
	must(w.T, err)
	return fmt.Sprintf("%s %x", filepath.Base(path), md5.Sum(text))
}

// The patterns match logs for steps with a single log.
const (
	transcriptLog = `\.claude/projects/[^/]+/[0-9a-f-]{36}\.jsonl$`
	rolloutLog    = `\.codex/(sessions|archived_sessions)/.*rollout-[^/]*\.jsonl$`
	packedLog     = `\.codex/(sessions|archived_sessions)/.*rollout-[^/]*\.jsonl\.zst$`
)

// refile moves a transcript, with the folder of its subagents, to another folder.
func (w *logWalk) refile() string { return w.file("re-file", os.Rename) }

// copyLog copies a transcript, with the folder of its subagents.
func (w *logWalk) copyLog() string {
	return w.file("copy", func(from, to string) error {
		if info, err := os.Stat(from); err != nil || info.IsDir() {
			return errors.Join(err, os.CopyFS(to, os.DirFS(from)))
		}
		text, err := os.ReadFile(from)
		return errors.Join(err, os.WriteFile(to, text, 0o600))
	})
}

func (w *logWalk) file(what string, put func(from, to string) error) string {
	from := w.pick(w.logs(transcriptLog))
	if from == "" {
		return ""
	}
	folder := filepath.Join(filepath.Dir(filepath.Dir(from)), fmt.Sprintf("-home-me-%d", w.random.IntN(4)))
	to := filepath.Join(folder, filepath.Base(from))
	if _, err := os.Stat(to); err == nil {
		return ""
	}
	must(w.T, os.MkdirAll(folder, 0o755))
	must(w.T, put(from, to))
	if side := strings.TrimSuffix(from, ".jsonl"); exists(side) && !exists(strings.TrimSuffix(to, ".jsonl")) {
		must(w.T, put(side, strings.TrimSuffix(to, ".jsonl")))
	}
	return what + " " + w.short(from) + " " + w.short(to)
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// renameFolder renames a project's folder.
func (w *logWalk) renameFolder() string {
	log := w.pick(w.logs(transcriptLog))
	to := filepath.Join(filepath.Dir(filepath.Dir(log)), fmt.Sprintf("-home-me-x%d", w.random.IntN(9)))
	if log == "" || exists(to) {
		return ""
	}
	must(w.T, os.Rename(filepath.Dir(log), to))
	return "rename " + w.short(filepath.Dir(log)) + " " + w.short(to)
}

// archive moves a rollout to the folder of archived sessions.
func (w *logWalk) archive() string {
	from := w.pick(w.logs(rolloutLog))
	root, _, _ := strings.Cut(from, "/.codex/")
	to := filepath.Join(root, ".codex", "archived_sessions", filepath.Base(from))
	if from == "" || exists(to) {
		return ""
	}
	must(w.T, os.MkdirAll(filepath.Dir(to), 0o755))
	must(w.T, os.Rename(from, to))
	return "archive " + w.short(from)
}

// compress compresses a rollout. Both files may stay for a while.
func (w *logWalk) compress() string {
	from := w.pick(w.logs(rolloutLog))
	if from == "" || exists(from+".zst") {
		return ""
	}
	text, err := os.ReadFile(from)
	must(w.T, err)
	info, err := os.Stat(from)
	must(w.T, err)
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	must(w.T, err)
	_, err = z.Write(text)
	must(w.T, errors.Join(err, z.Close(), os.WriteFile(from+".zst", out.Bytes(), 0o600), os.Chtimes(from+".zst", info.ModTime(), info.ModTime())))
	if w.random.IntN(3) == 0 {
		return "compress and keep " + w.short(from)
	}
	must(w.T, os.Remove(from))
	return "compress " + w.short(from)
}

// unpack unpacks a compressed rollout again.
func (w *logWalk) unpack() string {
	from := w.pick(w.logs(packedLog))
	if from == "" {
		return ""
	}
	text, err := os.ReadFile(from)
	must(w.T, err)
	z, err := zstd.NewReader(nil)
	must(w.T, err)
	defer z.Close()
	text, err = z.DecodeAll(text, nil)
	must(w.T, errors.Join(err, os.WriteFile(strings.TrimSuffix(from, ".zst"), text, 0o600), os.Remove(from)))
	return "unpack " + w.short(from)
}

// touch changes a log's time.
func (w *logWalk) touch() string {
	log := w.pick(w.logs(`\.jsonl$`))
	if log == "" {
		return ""
	}
	must(w.T, touch(log))
	return "touch " + w.short(log)
}

// growAgain cuts the end off a log, syncs, and appends the end again.
func (w *logWalk) growAgain() string {
	log := w.pick(w.logs(transcriptLog + "|" + rolloutLog))
	if log == "" {
		return ""
	}
	text, err := os.ReadFile(log)
	must(w.T, err)
	at := bytes.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
	must(w.T, errors.Join(os.WriteFile(log, text[:at], 0o600), touch(log)))
	w.sync()
	must(w.T, errors.Join(os.WriteFile(log, text, 0o600), touch(log)))
	return "cut and grow " + w.short(log)
}

// cut drops whole lines at the beginning of a log. A log's rows follow the file, so the
// plain home's log is cut, too; what a history loses stays.
func (w *logWalk) cut() string {
	log := w.pick(w.logs(w.pick([]string{transcriptLog, rolloutLog, `\.(claude|codex)/history\.jsonl$`})))
	if log == "" || len(w.forks) > 0 {
		return ""
	}
	text, err := os.ReadFile(log)
	must(w.T, err)
	var twins []string // other files with the lines
	for _, path := range w.logs(regexp.QuoteMeta(filepath.Base(log)) + `(\.zst)?$`) {
		if path != log {
			twins = append(twins, path)
		}
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines) < 4 || len(twins) > 0 && filepath.Base(log) != "history.jsonl" {
		return ""
	}
	w.sync() // a log that is moved and cut at once is another log
	text = bytes.Join(lines[1+w.random.IntN(len(lines)/2):], nil)
	must(w.T, errors.Join(os.WriteFile(log, text, 0o600), touch(log)))
	w.sync()
	if filepath.Base(log) == "history.jsonl" {
		return "cut " + w.short(log)
	}
	must(w.T, filepath.WalkDir(w.plain.Dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Base(path) == filepath.Base(log) {
			err = errors.Join(os.WriteFile(path, text, 0o600), touch(path))
		}
		return err
	}))
	w.plain.Sync()
	w.want = w.counted(w.plain)
	return "cut " + w.short(log)
}

// fork copies the beginning of a transcript to a new session, as Claude Code does, and
// adds a prompt. With marks, the fork may end before the original goes on.
func (w *logWalk) fork() string {
	from := w.pick(w.logs(transcriptLog))
	if from == "" || w.forks[strings.TrimSuffix(filepath.Base(from), ".jsonl")] {
		return ""
	}
	text, err := os.ReadFile(from)
	must(w.T, err)
	old := strings.TrimSuffix(filepath.Base(from), ".jsonl")
	id := fmt.Sprintf("f0000000-0000-4000-8000-%012x", w.random.Uint64()>>16)
	marked := w.random.IntN(2) == 0
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if marked {
		lines = lines[:1+w.random.IntN(len(lines))]
	}
	var out bytes.Buffer
	last, parent, folder := time.Time{}, any(nil), any("/home/me")
	for _, line := range lines {
		var r map[string]any
		if json.Unmarshal(line, &r) != nil || r["uuid"] == nil || r["sessionId"] != old {
			continue
		}
		if r["forkedFrom"] != nil || r["isSidechain"] == true {
			return ""
		}
		if at, err := time.Parse(time.RFC3339, fmt.Sprint(r["timestamp"])); err == nil && at.After(last) {
			last = at
		}
		if r["sessionId"], parent = id, r["uuid"]; r["cwd"] != nil {
			folder = r["cwd"]
		}
		if marked {
			r["forkedFrom"] = map[string]any{"sessionId": old, "messageUuid": r["uuid"]}
		}
		must(w.T, json.NewEncoder(&out).Encode(r))
	}
	if parent == nil || last.IsZero() {
		return ""
	}
	if !marked { // without marks, the fork is told by its later end
		last = last.AddDate(1, 0, 0)
	}
	must(w.T, json.NewEncoder(&out).Encode(map[string]any{
		"type": "user", "uuid": "a" + id[1:], "parentUuid": parent, "sessionId": id, "cwd": folder, "version": "2.1.332", "isSidechain": false,
		"timestamp": last.Add(time.Second).UTC().Format(time.RFC3339), "message": map[string]any{"role": "user", "content": "another way"},
	}))
	must(w.T, os.WriteFile(filepath.Join(filepath.Dir(from), id+".jsonl"), out.Bytes(), 0o600))
	w.forks[id] = true
	return fmt.Sprintf("fork %s at %d lines, marked %t", w.short(from), len(lines), marked)
}
