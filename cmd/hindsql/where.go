package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/engine"
	"hindsql/prices"
	"hindsql/readers"
	"hindsql/readers/files"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// where holds the flags that say which logs are read and into which store.
type where struct {
	roots    []string // agent=PATH
	store    string
	prices   string
	timezone string
	noSync   bool
	sample   string // one of the samples
	lake     string // URL of rows that lie elsewhere; empty for the store
}

// When the sample is used in place of the user's logs.
const (
	sampleNever  = "never"
	sampleAlways = "always"
	sampleAuto   = "auto" // when no logs are found
)

func (a *app) addWhereFlags(root *cobra.Command) {
	w := &a.where
	flags := root.PersistentFlags()
	flags.StringArrayVar(&w.roots, "root", nil, "read an agent's logs in this folder, `AGENT=PATH`; repeat for several")
	flags.StringVar(&w.store, "store", "", "keep the loaded rows in this `FILE` (default $HINDSQL_STORE, or in the user's data folder)")
	flags.StringVar(&w.prices, "prices", "", "estimate costs by the prices in this `FILE` (default $HINDSQL_PRICES, or prices.json or prices.toml in the configuration)")
	flags.StringVar(&w.lake, "lake", "", "ask the rows of many machines at this `URL`, and none of the store: a folder they push into, or an Iceberg REST catalog")
	flags.BoolVar(&w.noSync, "no-sync", false, "answer from what is loaded, without looking at the logs")
	flags.StringVar(&w.timezone, "timezone", "", "`ZONE` of days and times, such as Europe/Paris (default the machine's)")
	flags.StringVar(&w.sample, "sample", sampleNever, "use a made-up home folder; `WHEN` is always, never, or auto: when no logs are found")
	flags.Lookup("sample").NoOptDefVal = sampleAlways
	_ = root.RegisterFlagCompletionFunc("root", a.completeRoots)
	_ = root.RegisterFlagCompletionFunc("timezone", cobra.NoFileCompletions)
	_ = root.RegisterFlagCompletionFunc("sample", cobra.FixedCompletions([]string{sampleAlways, sampleAuto, sampleNever}, cobra.ShellCompDirectiveNoFileComp))
}

func (e *env) completeRoots(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var words []string
	for _, agent := range e.agents() {
		words = append(words, agent+"=")
	}
	return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// check refuses flags that contradict each other.
func (w *where) check() error {
	switch {
	case !slices.Contains([]string{sampleNever, sampleAlways, sampleAuto}, w.sample):
		return usagef("--sample is %s, %s or %s, not %q", sampleAlways, sampleAuto, sampleNever, w.sample)
	case w.sample == sampleAlways && len(w.roots) > 0:
		return usagef("--sample and --root contradict each other")
	case w.lake != "" && (len(w.roots) > 0 || w.sample != sampleNever || w.store != ""):
		return usagef("--lake reads neither logs nor a store; leave out --root, --sample and --store")
	case w.sample == sampleAlways && w.store != "":
		return usagef("--sample has a store of its own; leave out --store")
	}
	return nil
}

// config is what the engine is opened with, for the user's own logs.
func (a *app) config() (engine.Config, error) {
	roots, err := a.rootsByAgent()
	if err != nil {
		return engine.Config{}, err
	}
	bounds, err := a.bounds()
	if err != nil {
		return engine.Config{}, err
	}
	list, err := a.priceList()
	if err != nil {
		return engine.Config{}, err
	}
	store, err := a.storePath()
	return engine.Config{
		Prices:   list,
		Safe:     bounds,
		Store:    store,
		Readers:  a.readers,
		Roots:    roots,
		Host:     a.host(),
		Hostname: a.hostname,
		Timezone: a.timezone,
	}, err
}

func (a *app) rootsByAgent() (map[string][]string, error) {
	var roots map[string][]string
	for _, flag := range a.roots {
		agent, path, ok := strings.Cut(flag, "=")
		if !ok || path == "" {
			return nil, usagef("--root %s: write AGENT=PATH, such as %s=~/logs", flag, a.readers[0].Agent)
		}
		if !slices.Contains(a.agents(), agent) {
			return nil, usagef("--root %s: unknown agent %q; one of %s", flag, agent, strings.Join(a.agents(), ", "))
		}
		if roots == nil {
			roots = map[string][]string{}
		}
		roots[agent] = append(roots[agent], a.long(path))
	}
	return roots, nil
}

// agents are the names of the agents, as --root takes them and tables have them.
func (e *env) agents() []string {
	var names []string
	for _, r := range e.readers {
		names = append(names, r.Agent)
	}
	return names
}

// short is a path for people.
func (a *app) short(path string) string { return files.Short(a.home, path) }

// long is the path that an argument names.
func (a *app) long(path string) string { return files.Long(a.home, path) }

// storePath is the store of the flag, else of the environment, else in the
// user's data folder.
func (a *app) storePath() (string, error) {
	if a.store != "" || a.sample == sampleAlways { // the sample has its own
		return a.store, nil
	}
	if store := a.getenv("HINDSQL_STORE"); store != "" {
		return store, nil
	}
	folder := a.getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(folder) {
		folder = a.dataFolder()
	}
	if folder == "" {
		return "", usagef("no home folder is known; name a store with --store FILE")
	}
	return filepath.Join(folder, "hindsql", "hindsql.duckdb"), nil
}

func (a *app) dataFolder() string {
	switch {
	case a.os == "windows" && a.getenv("LOCALAPPDATA") != "":
		return a.getenv("LOCALAPPDATA")
	case a.home == "":
		return ""
	case a.os == "darwin":
		return filepath.Join(a.home, "Library", "Application Support")
	}
	return filepath.Join(a.home, ".local", "share")
}

// historyPath is where the prompt keeps what was typed; empty when no home is known.
func (a *app) historyPath() string {
	if folder := a.stateFolder(); folder != "" {
		return filepath.Join(folder, "history")
	}
	return ""
}

// stateFolder is that of what the program remembers; empty when no home is known.
func (a *app) stateFolder() string {
	folder := a.getenv("XDG_STATE_HOME")
	switch {
	case filepath.IsAbs(folder):
	case a.os == "windows" || a.os == "darwin":
		folder = a.dataFolder()
	case a.home != "":
		folder = filepath.Join(a.home, ".local", "state")
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "hindsql")
}

// configFolder is that of the user's configuration; empty when no home is known.
func (a *app) configFolder() string {
	folder := a.getenv("XDG_CONFIG_HOME")
	switch {
	case filepath.IsAbs(folder):
		return folder
	case a.os == "windows" && a.getenv("APPDATA") != "":
		return a.getenv("APPDATA")
	case a.home == "":
		return ""
	}
	return filepath.Join(a.home, ".config")
}

// configured is a file or folder of ours in the user's configuration; empty when
// no home is known.
func (a *app) configured(name string) string {
	if folder := a.configFolder(); folder != "" {
		return filepath.Join(folder, "hindsql", name)
	}
	return ""
}

// priceFile is the list of prices of the flag, else of the environment, else in
// the user's configuration; empty for none.
func (a *app) priceFile() string {
	if path := cmp.Or(a.prices, a.getenv("HINDSQL_PRICES")); path != "" {
		return a.long(path)
	}
	if folder := a.configured(""); folder != "" {
		return prices.Find(folder)
	}
	return ""
}

// priceList is what the engine reads of it, where it is another than before.
func (a *app) priceList() (engine.Prices, error) {
	path := a.priceFile()
	if path == "" {
		return engine.Prices{}, nil
	}
	mark, err := prices.Mark(path)
	if err != nil {
		return engine.Prices{}, usagef("prices: %w; docs/prices.md says where to get some", err)
	}
	return engine.Prices{Mark: mark, Read: func() ([]tables.Price, error) { return prices.Read(path) }}, nil
}

// queriesFolder is where the user's saved queries are; empty when no home is known.
func (a *app) queriesFolder() string { return a.configured("queries") }

// sampleConfig turns c to the sample, which is written into the user's cache.
func (a *app) sampleConfig(c engine.Config) (engine.Config, error) {
	folder, err := a.sampleFolder()
	if err != nil {
		return c, err
	}
	home, err := sample.Write(folder)
	// It is laid out as a home folder of Linux, wherever it lies.
	c.Host = readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }}
	c.Roots, c.Machine, c.User = nil, sampleMachine, sampleMachine
	c.Store = filepath.Join(folder, "hindsql.duckdb")
	return c, err
}

func (a *app) sampleFolder() (string, error) {
	cache := a.getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		var err error
		if cache, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("%w; the sample is written to the user's cache folder, name it with XDG_CACHE_HOME", err)
		}
	}
	return sample.Folder(filepath.Join(cache, "hindsql"))
}
