package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed facts.sql
var factsSQL string

// loaded returns the facts of the logs in a home folder, by the program binary.
func loaded(ctx context.Context, binary, home string) ([]fact, error) {
	scratch, err := os.MkdirTemp("", "hindsql-drift-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	cmd := exec.CommandContext(ctx, binary, "--no-init", "--store", filepath.Join(scratch, "store.duckdb"), "--format", "ndjson", "-c", factsSQL)
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
