package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/engine"
	"hindsql/internal/userfolders"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
	"hindsql/tables"
	"hindsql/tables/prices"
)

// where holds the flags for the logs to read and for the store of their rows.
type where struct {
	roots    []string // agent=PATH
	store    string
	prices   string
	timezone string
	noSync   bool
	sample   string // one of the samples
	lake     string // URL of rows in a lake; empty for the store
	confine  confine
	quiet    bool // of --alert: no notice says why there are no rows
}

// When the sample replaces the user's logs.
const (
	sampleNever  = "never"
	sampleAlways = "always"
	sampleAuto   = "auto" // when no logs are found
)

func (f *where) addFlags(root *cobra.Command, agents []string) {
	flags := root.Flags()
	flags.StringArrayVar(&f.roots, "root", nil, "read an agent's logs in this folder, `AGENT=PATH`; repeat for several")
	tries(flags, "root", agents[0]+"=~", agents[0]+"=missing", "nobody=~")
	flags.StringVar(&f.store, "store", "", "keep the loaded rows in this `FILE` (default $HINDSQL_STORE, or in the user's data folder)")
	tries(flags, "store", "other.duckdb", ".")
	flags.StringVar(&f.prices, "prices", "", "estimate costs by the prices in this `FILE` (default $HINDSQL_PRICES, or prices.json or prices.toml in the configuration, or the built-in list)")
	tries(flags, "prices", "prices.toml")
	flags.StringVar(&f.lake, "lake", "", "ask the rows of many machines at this `URL`, and none of the store: a folder they push into, or an Iceberg REST catalog")
	tries(flags, "lake", "landing")
	flags.BoolVar(&f.noSync, "no-sync", false, "answer from what is loaded, without looking at the logs")
	flags.StringVar(&f.timezone, "timezone", "", "`ZONE` of days and times, such as Europe/Paris (default the machine's)")
	tries(flags, "timezone", "Asia/Kolkata")
	flags.StringVar(&f.sample, "sample", sampleNever, "use a made-up home folder; `WHEN` is always, never, or auto: when no logs are found")
	flags.Lookup("sample").NoOptDefVal = sampleAlways
	_ = root.RegisterFlagCompletionFunc("root", completeRoots(agents))
	_ = root.RegisterFlagCompletionFunc("timezone", cobra.NoFileCompletions)
	_ = root.RegisterFlagCompletionFunc("sample", cobra.FixedCompletions([]string{sampleAlways, sampleAuto, sampleNever}, cobra.ShellCompDirectiveNoFileComp))
}

// completeRoots proposes an agent, then files.
func completeRoots(agents []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(typed, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		var words []string
		for _, agent := range agents {
			words = append(words, agent+"=")
		}
		return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// check returns an error for wrong values, and for contradictory flags.
func (f *where) check() error {
	switch {
	case !slices.Contains([]string{sampleNever, sampleAlways, sampleAuto}, f.sample):
		return usagef("--sample is %s, %s or %s, not %q", sampleAlways, sampleAuto, sampleNever, f.sample)
	case f.sample == sampleAlways && len(f.roots) > 0:
		return usagef("--sample and --root contradict each other")
	case f.lake != "" && (len(f.roots) > 0 || f.sample != sampleNever || f.store != ""):
		return usagef("--lake reads neither logs nor a store; leave out --root, --sample and --store")
	case f.sample == sampleAlways && f.store != "":
		return usagef("--sample has a store of its own; leave out --store")
	}
	if _, err := time.LoadLocation(f.timezone); err != nil {
		return usagef("time zone %q: unknown; use an IANA name such as Europe/Berlin", f.timezone)
	}
	return nil
}

// ownConfig returns the engine's configuration for the user's own logs.
func ownConfig(w *world, from *where) (engine.Config, error) {
	roots, err := rootsByAgent(w, from)
	if err != nil {
		return engine.Config{}, err
	}
	bounds, err := safeBounds(w, from)
	if err != nil {
		return engine.Config{}, err
	}
	list, err := priceList(w, from)
	if err != nil {
		return engine.Config{}, err
	}
	store, err := storePath(w, from)
	return engine.Config{
		Prices:   list,
		Safe:     bounds,
		Store:    store,
		Readers:  w.readers,
		Others:   all.Others(),
		Roots:    roots,
		Host:     w.host(),
		Hostname: w.hostname,
		Timezone: from.timezone,
	}, err
}

func rootsByAgent(w *world, from *where) (map[string][]string, error) {
	var roots map[string][]string
	for _, flag := range from.roots {
		agent, path, ok := strings.Cut(flag, "=")
		if !ok || path == "" {
			return nil, usagef("--root %s: write AGENT=PATH, such as %s=~/logs", flag, w.readers[0].Agent)
		}
		if !slices.Contains(w.agents(), agent) {
			return nil, usagef("--root %s: unknown agent %q; one of %s", flag, agent, strings.Join(w.agents(), ", "))
		}
		if roots == nil {
			roots = map[string][]string{}
		}
		roots[agent] = append(roots[agent], w.long(path))
	}
	return roots, nil
}

// storePath returns the store of the flag, of the environment, or in the user's data
// folder.
func storePath(w *world, from *where) (string, error) {
	if from.store != "" || from.sample == sampleAlways { // the sample has its own store
		return from.store, nil
	}
	if store := w.getenv("HINDSQL_STORE"); store != "" {
		return store, nil
	}
	folder := userOf(w).Data()
	if folder == "" {
		return "", usagef("no home folder is known; name a store with --store FILE")
	}
	return filepath.Join(folder, "hindsql", "hindsql.duckdb"), nil
}

// userOf returns the user whose folders are used.
func userOf(w *world) userfolders.User {
	return userfolders.User{OS: w.os, Home: w.home, Getenv: w.getenv}
}

// historyPath returns the file of the prompt's history; empty if no home is known.
func historyPath(w *world) string {
	if folder := w.stateFolder(); folder != "" {
		return filepath.Join(folder, "history")
	}
	return ""
}

// stateFolder returns the folder of the program's state; empty if no home is known.
func (w *world) stateFolder() string {
	if folder := userOf(w).State(); folder != "" {
		return filepath.Join(folder, "hindsql")
	}
	return ""
}

// configured returns a file or folder in hindsql's configuration; empty if no home is
// known.
func (w *world) configured(name string) string {
	if folder := userOf(w).Config(); folder != "" {
		return filepath.Join(folder, "hindsql", name)
	}
	return ""
}

// priceFile returns the price list of the flag, of the environment, or in the user's
// configuration; empty for the built-in list.
func priceFile(w *world, from *where) string {
	if path := cmp.Or(from.prices, w.getenv("HINDSQL_PRICES")); path != "" {
		return w.long(path)
	}
	if folder := w.configured(""); folder != "" {
		return prices.Find(folder)
	}
	return ""
}

// priceList returns the price list. The engine reads the list again only if its Mark
// has changed.
func priceList(w *world, from *where) (engine.Prices, error) {
	path := priceFile(w, from)
	if path == "" {
		day, _ := prices.Dated()
		return engine.Prices{Name: prices.Named("prices", day), Mark: prices.BuiltInMark(), Read: prices.BuiltIn}, nil
	}
	mark, modified, err := prices.Mark(path)
	if err != nil {
		return engine.Prices{}, usagef("prices: %w; docs/prices.md says where to get some", err)
	}
	return engine.Prices{Name: prices.Named(filepath.Base(path), modified), Mark: mark, Read: func() ([]tables.Price, error) { return prices.Read(path) }}, nil
}

// queriesFolder returns the folder of the user's saved queries; empty if no home is
// known.
func queriesFolder(w *world) string { return w.configured("queries") }

// sampleDay names the variable with the last day of the sample, in place of yesterday.
const sampleDay = "HINDSQL_SAMPLE_DAY"

// sampleConfig changes c to the sample, which is written into the user's cache.
func sampleConfig(w *world, c engine.Config) (engine.Config, error) {
	days, err := sample.On(w.getenv(sampleDay), w.clock())
	if err != nil {
		return c, usagef("%s=%w", sampleDay, err)
	}
	home, store, err := days.Unpack(w.getenv("XDG_CACHE_HOME"), engine.IsOpen)
	// The sample is laid out like a Linux home folder on every system.
	c.Host = readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }}
	c.Roots, c.Machine, c.User, c.Store = nil, sampleMachine, sampleMachine, store
	return c, err
}
