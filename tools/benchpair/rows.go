package main

import "context"

// figures is the usage of a run, or of each of its parts, by the row's key.
type figures map[string]usage

// measurement is a run of both builds that fills one row or several.
type measurement struct {
	name string // ROWS chooses by it
	// needs is a file of the sources. A commit without it lacks the rows.
	needs  string
	big    bool // of ten gigabytes
	rows   []row
	once   func(context.Context, *side) (figures, error)
	beside *beside // nil if no third program runs
}

// row is a line of the table.
type row struct {
	key   string // of the figures
	title string
	mark  mark
	// each makes a row of the parts without rows of their own, of which each has to hold
	// the mark: the dearest, or the middle one.
	each which
}

// which says which of many parts is shown.
type which int

const (
	only which = iota
	dearest
	typical
)

const (
	often = "SELECT count(*) FROM rejections"
	// Files of commands that the oldest commits lack.
	webFile, mcpFile, pushFile, safeFile, findFile = "cmd/hindsql/web.go", "cmd/hindsql/mcp.go", "cmd/hindsql/push.go", "cmd/hindsql/safe.go", "cmd/hindsql/find.go"
	// The prompt's commands came into files with the commands for sessions.
	refreshFile = "cmd/hindsql/show.go"
	machineFile = "cmd/hindsql/machine.go"
)

// one is a measurement with one row of the same name.
func one(name, title string, m mark, once func(context.Context, *side) (usage, error)) *measurement {
	return &measurement{name: name, rows: []row{{key: name, title: title, mark: m}}, once: func(ctx context.Context, s *side) (figures, error) {
		used, err := once(ctx, s)
		return figures{name: used}, err
	}}
}

func (m *measurement) by(b *beside) *measurement     { m.beside = b; return m }
func (m *measurement) need(file string) *measurement { m.needs = file; return m }
func many(name string, rows ...row) *measurement     { return &measurement{name: name, rows: rows} }
func (m *measurement) run(once func(context.Context, *side) (figures, error)) *measurement {
	m.once = once
	return m
}

// measurements lists all rows, in the order of the table.
func measurements() []*measurement {
	list := []*measurement{
		one("version", "`hindsql version`", marked("≤ 18 ms, goal 12", cpuMS(18)), version).by(bare),
		one("nothing-changed-817", "nothing changed, 817 files", marked("≤ 0.5 × base", ofBase(0.5)), runs("211MB", often)),
		one("nothing-changed-10000", "nothing changed, 10,000 files", marked("≤ 0.5 × base at 817 files + 1.5 × a bare walk", walked(0.5, 1.5)), runs("10,000 files", often)).by(walking),
		one("grew-small", "a small file grew, 1 GB", marked("≤ 0.25 × base", ofBase(0.25)), grew("1GB", "small")),
		one("grew-20MB", "20 MB grew by a line, 1 GB", marked("≤ 150 ms", cpuMS(150)), grew("1GB", "large")),
		one("grew-open", "the same in an open process", marked("≤ 60 ms", cpuMS(60)), grewOpen("1GB", "large")).need(refreshFile),
		one("first-load-211MB", "first load, 211 MB", marked("≤ 0.85 × base, ≤ 1.8 × ccusage (goal 1.5), ≤ 340 MB", ofBase(0.85), ofBeside(1.8), memoryMB(340)), firstLoad("211MB")).by(summing("211MB")),
		one("first-load-1GB", "first load, 1 GB", marked("≤ 0.85 × base, ≤ 1.8 × ccusage (goal 1.5), ≤ 450 MB", ofBase(0.85), ofBeside(1.8), memoryMB(450)), firstLoad("1GB")).by(summing("1GB")),
		one("first-load-100000", "first load, 100,000 small files", marked("≤ 450 MB", memoryMB(450)), firstLoad("100,000 files")).by(summing("100,000 files")),
		one("machine", "another machine id, 1 GB", marked("≤ a first load", ofRow(1, "first-load-1GB")), otherMachine("1GB")).need(machineFile),
		one("push-plain", "first push, plain, 211 MB", marked("≤ 4 s elapsed", wallMS(4000)), pushed("211MB", "--plain-text")).need(pushFile),
		one("push-redacted", "first push, redacted, 211 MB", marked("≤ 7 s elapsed", wallMS(7000)), pushed("211MB")).need(pushFile),
		many("saved", row{title: "saved queries, 1 GB: the dearest", mark: marked("≤ 100 ms", cpuMS(100)), each: dearest}, row{title: "saved queries, 1 GB: the middle one", each: typical}).run(saved("1GB", "")),
		many("saved-since", row{title: "saved queries with since: the dearest", mark: marked("≤ 100 ms", cpuMS(100)), each: dearest}, row{title: "saved queries with since: the middle one", each: typical}).run(saved("1GB", since)),
		many("search", row{key: "none", title: "search('zzqxw'), in no row, 1 GB", mark: marked("≤ 50 ms", cpuMS(50))},
			row{key: "rare", title: "search('tailwindcss'), in 0.1 % of rows", mark: marked("≤ 50 ms", cpuMS(50))},
			row{key: "half", title: "search('the') LIMIT 50, in a third of rows", mark: marked("≤ 50 ms", cpuMS(50))}).run(asked("1GB", searches)),
	}
	return append(append(list, asks()...), tenGigabytes()...)
}

// asks lists the rows of pages, of the sandbox and of agents.
func asks() []*measurement {
	page := func(key, title string) row {
		return row{key: key, title: title, mark: marked("≤ 100 ms", cpuMS(100))}
	}
	found := marked("≤ 50 ms beyond nothing changed", beyondRow(50, "nothing-changed-817"))
	return []*measurement{
		one("find-none", "`hindsql find`, in no row, 1 GB", found, finds("1GB", "zzqxw")).need(findFile),
		one("find-rare", "`hindsql find`, in 0.1 % of rows", found, finds("1GB", "tailwindcss")).need(findFile),
		one("find-half", "`hindsql find`, in a third of rows", found, finds("1GB", "the")).need(findFile),
		many("page", row{key: "home", title: "home page, 1 GB", mark: marked("≤ 150 ms", cpuMS(150))},
			page("refusals", "page of refusals"), page("sessions", "page of sessions"), page("session", "page of a session"), page("search", "page of a search"),
			page("interruptions", "page of interruptions"), page("queries", "page of queries"), page("table", "page of tables")).need(webFile).run(visited("1GB")),
		many("crowd", row{key: "crowd", title: "eight clients while a log grows: a page, 95 % elapsed", mark: marked("≤ 600 ms elapsed", wallMS(600))}).need(webFile).run(crowded("1GB")),
		one("safe", "`--safe`, first SQL, 1 GB", marked("≤ 0.8 s elapsed", wallMS(800)), runs("1GB", "--safe", often)).need(safeFile),
		many("mcp-scope", row{key: "mcp", title: "`hindsql mcp`, first answer with scope, 211 MB", mark: marked("≤ 0.5 s elapsed", wallMS(500))}).need(mcpFile).run(firstAnswer("211MB", "mcp", "--project", scope)),
		many("mcp-all", row{key: "mcp", title: "the same with --all, redacted", mark: marked("≤ 1.5 s elapsed", wallMS(1500))}).need(mcpFile).run(firstAnswer("211MB", "mcp", "--all")),
		many("mcp-grew", row{key: "mcp", title: "open `hindsql mcp`, the asking session grew, 1 GB", mark: marked("≤ 150 ms", cpuMS(150))}).need(mcpFile).run(nextAnswer("1GB", "mcp", "--project", scope)),
	}
}

// tenGigabytes lists the rows of BIG=1. The first load of 1 GB is among them because a
// mark names it.
func tenGigabytes() []*measurement {
	saving := marked("≤ 0.8 s", cpuMS(800))
	page := func(key, title string, ms float64) row {
		return row{key: key, title: title, mark: marked("≤ "+seconds(ms), cpuMS(ms))}
	}
	list := []*measurement{
		one("first-load-1GB", "first load, 1 GB", mark{}, firstLoad("1GB")).by(summing("1GB")),
		one("first-load-10GB", "first load, 10 GB", marked("≤ 11 × 1 GB, ≤ 700 MB", ofRow(11, "first-load-1GB"), memoryMB(700)), firstLoad("10GB")).by(summing("10GB")),
		one("nothing-changed", "nothing changed, 10 GB", marked("≤ 0.3 s", cpuMS(300)), runs("10GB", often)),
		one("grew", "a small file grew, 10 GB", marked("≤ 0.6 s", cpuMS(600)), grew("10GB", "small")),
		one("machine", "another machine id, 10 GB", marked("≤ a first load", ofRow(1, "first-load-10GB")), otherMachine("10GB")).need(machineFile),
		one("export", "`hindsql export`, 10 GB", marked("≤ 700 MB", memoryMB(700)), exported("10GB")),
		one("push", "first push, 10 GB", marked("≤ 120 s elapsed, ≤ 700 MB", wallMS(120_000), memoryMB(700)), pushed("10GB")).need(pushFile),
		one("after-refusal", "after-refusal, 10 GB", marked("≤ 1.5 s, ≤ 700 MB", cpuMS(1500), memoryMB(700)), runs("10GB", "--no-sync", "run", "after-refusal")).need("queries/after-refusal.sql"),
		many("saved", row{title: "saved queries, 10 GB: the dearest", mark: saving, each: dearest}, row{title: "saved queries, 10 GB: the middle one", mark: saving, each: typical}).run(saved("10GB", "")),
		one("find", "`hindsql find`, in no row, 10 GB", marked("≤ 1 s", cpuMS(1000)), finds("10GB", "zzqxw")).need(findFile),
		one("safe", "`--safe`, first SQL, 10 GB", marked("≤ 3 s elapsed", wallMS(3000)), runs("10GB", "--safe", often)).need(safeFile),
		many("mcp-all", row{key: "mcp", title: "`hindsql mcp --all`, first answer, 10 GB", mark: marked("≤ 5 s elapsed", wallMS(5000))}).need(mcpFile).run(firstAnswer("10GB", "mcp", "--all")),
		many("page", page("home", "home page, 10 GB", 500), page("refusals", "page of refusals", 500), page("sessions", "page of sessions", 500), page("search", "page of a search", 1000)).need(webFile).run(visited("10GB")),
	}
	for _, m := range list {
		m.big = true
	}
	return list
}
