package main

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// since is the moment from which saved queries count: the last month of the three that
// the histories are about.
const since = "'2026-08-01'"

var (
	paramLine = regexp.MustCompile(`(?m)^-- param (\w+) ([A-Z]+(?:\[\])?) = (.*?)(?: \{[^}]*\})?(?:   .*)?$`)
	takesLine = regexp.MustCompile(`(?m)^-- takes (.*)$`)
	shared    = map[string]string{"since": "TIMESTAMPTZ", "until": "TIMESTAMPTZ", "agent": "VARCHAR", "project": "VARCHAR"}
)

// statement returns a saved query with its parameters' defaults in their places, and with
// the given moment for since, if the query has since and the moment isn't empty. ok is
// false if it lacks since.
func statement(text, from string) (sql string, ok bool) {
	type param struct{ name, value string }
	var params []param
	for _, m := range paramLine.FindAllStringSubmatch(text, -1) {
		params = append(params, param{m[1], fmt.Sprintf("CAST((%s) AS %s)", m[3], m[2])})
	}
	for _, m := range takesLine.FindAllStringSubmatch(text, -1) {
		for _, name := range strings.Fields(m[1]) {
			params = append(params, param{name, fmt.Sprintf("CAST(NULL AS %s)", shared[name])})
		}
	}
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "--") {
			lines = append(lines, line)
		}
	}
	sql, ok = strings.TrimSuffix(strings.TrimSpace(strings.Join(lines, "\n")), ";")+";", from == ""
	for _, p := range params {
		if p.name == "since" && from != "" {
			p.value, ok = fmt.Sprintf("CAST(%s AS TIMESTAMPTZ)", from), true
		}
		sql = regexp.MustCompile(`\$`+p.name+`\b`).ReplaceAllLiteralString(sql, p.value)
	}
	return sql, ok
}

// saved returns a measurement of each saved query of a side's sources, by its name.
func saved(tree, from string) func(context.Context, *side) (figures, error) {
	return func(ctx context.Context, s *side) (figures, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return nil, err
		}
		statements := map[string]string{}
		for file := range s.files {
			if path.Dir(file) != "queries" || path.Ext(file) != ".sql" {
				continue
			}
			text, err := s.read(ctx, file)
			if err != nil {
				return nil, err
			}
			if sql, ok := statement(text, from); ok {
				statements[strings.TrimSuffix(path.Base(file), ".sql")] = sql
			}
		}
		return st.ask(ctx, statements)
	}
}

// asked returns a measurement of statements in an open process.
func asked(tree string, statements map[string]string) func(context.Context, *side) (figures, error) {
	return func(ctx context.Context, s *side) (figures, error) {
		st, err := s.loaded(ctx, tree)
		if err != nil {
			return nil, err
		}
		return st.ask(ctx, statements)
	}
}

// ask runs each statement twice in one process, and returns the second usages by name.
// The process doesn't sync.
func (st *store) ask(ctx context.Context, statements map[string]string) (figures, error) {
	names := slices.Sorted(maps.Keys(statements))
	var list []step
	for _, name := range names {
		list = append(list, step{sql: statements[name]}, step{sql: statements[name]})
	}
	laps, err := st.steps(ctx, []string{"--no-sync"}, list)
	if err != nil {
		return nil, err
	}
	found := figures{}
	for i, name := range names {
		found[name] = laps[2*i+1]
	}
	return found, nil
}
