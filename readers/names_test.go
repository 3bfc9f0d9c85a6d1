package readers_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"hindsql/readers"
	"hindsql/tables"
)

// TestNames: Names lists a folder and notes it with the log, even if it doesn't exist.
// NamesUnwatched lists it without a note. Neither lists folders above the root.
func TestNames(t *testing.T) {
	base := tree(t, map[string]string{"root/logs/1.jsonl": "x", "root/near/b": "", "root/near/a": "", "root/aside/c": "", "secret/d": ""})
	r := finder()
	var got []string
	r.Read = func(in *readers.Input) error {
		for folder, list := range map[string]func(string) ([]string, error){
			"near": in.Names, "none": in.Names, "../secret": in.Names, "aside": in.NamesUnwatched, "gone": in.NamesUnwatched, "../secret/": in.NamesUnwatched,
		} {
			names, err := list(folder)
			got = append(got, fmt.Sprint(folder, names, err))
		}
		return nil
	}
	logs, err := r.Find([]readers.Place{{Path: base + "/root"}})
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	f, err := r.TryLoad(logs[0], tables.Source{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{"../secret/[] <nil>", "../secret[] <nil>", "aside[c] <nil>", "gone[] <nil>", "near[a b] <nil>", "none[] <nil>"}
	if !slices.Equal(got, want) {
		t.Errorf("names are %q, want %q", got, want)
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	f.AppendTo(b)
	noted := map[string]bool{}
	for _, t := range tables.All() {
		if t.Name == "neighbours" {
			for _, row := range b.Rows(t) {
				noted[filepath.Base(fmt.Sprint(row["path"]))] = row["existed"] == true && row["modified_at"] != nil
			}
		}
	}
	if len(noted) != 2 || !noted["near"] || noted["none"] {
		t.Errorf("noted %v", noted)
	}
}
