package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// tree returns the files in the outfit's home.
func (o *outfit) tree() map[string]bool {
	o.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(o.home, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(o.home, path)
			all[filepath.ToSlash(rel)] = true
		}
		return err
	})
	if err != nil {
		o.Fatal(err)
	}
	return all
}

// pushed pushes, and returns the command's output followed by all texts at the target.
func (o *outfit) pushed(q inquiry) string {
	args := []string{"push", filepath.Join(o.home, "target")}
	if q.sql != "" {
		args = append(args, q.sql)
	}
	return o.runs(o.program(q, args...)) + o.landed()
}

// pushedBySchedule has the scheduler push.
func (o *outfit) pushedBySchedule(q inquiry) string {
	if q.sql != "" {
		return o.pushed(q) // a schedule takes no SQL
	}
	_ = os.RemoveAll(filepath.Join(o.home, ".local", "share", "hindsql", "hindsql.reports"))
	return o.runs(o.program(q, "push", filepath.Join(o.home, "target"), "--scheduled")) + o.landed()
}

// landed returns the texts of all files listed in the target's manifests.
func (o *outfit) landed() string {
	target := filepath.Join(o.home, "target", "landing", "v1")
	if _, err := os.Stat(target); err != nil {
		return ""
	}
	e, all := o.program(inquiry{}, "SELECT kind, text FROM read_parquet('"+target+"/*/messages/*.parquet', filename = true) SEMI JOIN (SELECT unnest(files).path AS path FROM read_json('"+
		target+"/*/manifest.json', maximum_object_size = 100000000)) ON ends_with(filename, path)", "--no-init", "--format", "csv")
	return o.runs(e, all)
}
