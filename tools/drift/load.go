package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed facts.sql
var factsSQL string

// A loader loads recordings with hindsql.
type loader struct {
	binary string
	old    string // a field to rename in a copy of each recording: a deliberate drift
	new    string
}

// facts returns the facts of the logs in a home folder.
func (l *loader) facts(ctx context.Context, home string) ([]fact, error) {
	scratch, err := os.MkdirTemp("", "hindsql-drift-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if l.old != "" {
		drifted := filepath.Join(scratch, "home")
		if err := rename(home, drifted, l.old, l.new); err != nil {
			return nil, err
		}
		home = drifted
	}
	cmd := exec.CommandContext(ctx, l.binary, "--no-init", "--store", filepath.Join(scratch, "store.duckdb"), "--format", "ndjson", "-c", factsSQL)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "XDG_CONFIG_HOME=" + scratch, "XDG_STATE_HOME=" + scratch, "XDG_CACHE_HOME=" + scratch}
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("hindsql: %w: %s", err, strings.TrimSpace(wrong.String()))
	}
	return parseFacts(string(out))
}

func parseFacts(text string) ([]fact, error) {
	var facts []fact
	for line := range strings.Lines(text) {
		var row struct{ Key, Value string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return nil, fmt.Errorf("hindsql's answer: %w", err)
		}
		facts = append(facts, fact{row.Key, row.Value})
	}
	return facts, nil
}

// rename copies logs of JSON with a field renamed. Databases are copied as they are.
func rename(from, to, old, name string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(filepath.Ext(path), ".json") {
			text = []byte(strings.ReplaceAll(string(text), `"`+old+`":`, `"`+name+`":`))
		}
		return os.WriteFile(target, text, 0o644)
	})
}
