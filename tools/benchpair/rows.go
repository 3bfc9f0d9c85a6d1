package main

import (
	"context"
	"regexp"
)

// figures is the usage of a run, or of each of its parts, by the part's name.
type figures map[string]usage

// measurement is a run of both builds that fills one row, or a row for each part.
type measurement struct {
	name, title string // ROWS chooses by the name
	once        func(context.Context, *side) (figures, error)
}

const often = "SELECT count(*) FROM rejections"

// one is a measurement without parts.
func one(name, title string, once func(context.Context, *side) (usage, error)) measurement {
	return measurement{name, title, func(ctx context.Context, s *side) (figures, error) {
		used, err := once(ctx, s)
		return figures{"": used}, err
	}}
}

// measurements lists all rows, in the order of the table: of 1 GB and less, or of 10 GB.
func measurements(big bool) []measurement {
	if big {
		return ofTree("10GB")
	}
	return append([]measurement{
		one("version", "`hindsql version`", version),
		one("nothing-changed-817", "nothing changed, 817 files", runs("211MB", often)),
		one("nothing-changed-10000", "nothing changed, 10,000 files", runs("10,000 files", often)),
		one("first-load-211MB", "first load, 211 MB", firstLoad("211MB")),
		one("first-load-100000", "first load, 100,000 small files", firstLoad("100,000 files")),
		one("push-plain", "first push, plain, 211 MB", into("211MB", "push", "--plain-text")),
		one("push-redacted", "first push, redacted, 211 MB", into("211MB", "push")),
		one("mcp-scope", "`hindsql mcp`, first answer with scope, 211 MB", firstAnswer("211MB", "--project", scope)),
		one("mcp-all-211MB", "the same with --all, redacted", firstAnswer("211MB", "--all")),
		one("crowd", "eight clients while a log grows: a page, 95 % elapsed", crowded("1GB")),
	}, ofTree("1GB")...)
}

// ofTree lists the rows of a large history.
func ofTree(tree string) []measurement {
	return []measurement{
		one("nothing-changed-large", "nothing changed, "+tree, runs(tree, often)),
		one("grew-small", "a small file grew, "+tree, grew(tree, "small")),
		one("grew-20MB", "20 MB grew by a line, "+tree, grew(tree, "large")),
		one("grew-open", "the same in an open process", grewOpen(tree, "large")),
		one("first-load-"+tree, "first load, "+tree, firstLoad(tree)),
		one("machine", "another machine id, "+tree, otherMachine(tree)),
		one("export", "`hindsql export`, "+tree, into(tree, "export")),
		one("push-large", "first push, "+tree, into(tree, "push")),
		{"saved", "saved query, " + tree, saved(tree, nil, "")},
		{"since", "saved query of a month, " + tree, saved(tree, regexp.MustCompile(`(?m)^-- (takes .*\bsince\b|param since )`), " since=2026-08-01")},
		{"search", "search, " + tree, asked(tree, searches)},
		one("find-none", "`hindsql find`, in no row, "+tree, runs(tree, "--no-sync", "find", "zzqxw")),
		one("find-rare", "`hindsql find`, in 0.1 % of rows", runs(tree, "--no-sync", "find", "tailwindcss")),
		one("find-half", "`hindsql find`, in a third of rows", runs(tree, "--no-sync", "find", "the")),
		{"page", "page, " + tree, visited(tree)},
		one("safe", "`--safe`, first SQL, "+tree, runs(tree, "--safe", often)),
		one("mcp-all-"+tree, "`hindsql mcp --all`, first answer, redacted, "+tree, firstAnswer(tree, "--all")),
		one("mcp-grew", "open `hindsql mcp`, the asking session grew, "+tree, nextAnswer(tree, "--project", scope)),
	}
}
