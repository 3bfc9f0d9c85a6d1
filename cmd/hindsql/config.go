package main

import (
	"cmp"
	"path/filepath"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/engine/fleet/machine"
	"hindsql/engine/fleet/push"
	"hindsql/engine/redact"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
	"hindsql/tables"
	"hindsql/tables/prices"
)

// ownConfig returns the engine's configuration for the user's own logs.
func ownConfig(env *environment, from *logFlags) (engine.Config, error) {
	roots, err := rootsByAgent(env, from)
	if err != nil {
		return engine.Config{}, err
	}
	bounds, err := safeBounds(env, from)
	if err != nil {
		return engine.Config{}, err
	}
	list, err := priceList(env, from)
	if err != nil {
		return engine.Config{}, err
	}
	store, err := storePath(env, from)
	return engine.Config{
		Prices:   list,
		Safe:     bounds,
		Store:    store,
		Readers:  env.readers,
		Others:   all.UnsupportedAgents(),
		Roots:    roots,
		Host:     env.host(),
		Hostname: env.hostname,
		Timezone: from.timezone,
	}, err
}

// storePath returns the store of the flag, of the environment, or in the user's data
// folder.
func storePath(env *environment, from *logFlags) (string, error) {
	if from.store != "" || from.sample == sampleAlways { // the sample has its own store
		return from.store, nil
	}
	if store := env.getenv("HINDSQL_STORE"); store != "" {
		return store, nil
	}
	store := ofHindsql(userOf(env).Data(), "hindsql.duckdb")
	if store == "" {
		return "", usagef("no home folder is known; name a store with --store FILE")
	}
	return store, nil
}

// priceFile returns the price list of the flag, of the environment, or in the user's
// configuration; empty for the built-in list.
func priceFile(env *environment, from *logFlags) string {
	if path := cmp.Or(from.prices, env.getenv("HINDSQL_PRICES")); path != "" {
		return env.long(path)
	}
	if folder := env.configured(""); folder != "" {
		return prices.Find(folder)
	}
	return ""
}

// priceList returns the price list. The engine reads the list again only if its Mark
// has changed.
func priceList(env *environment, from *logFlags) (engine.Prices, error) {
	path := priceFile(env, from)
	if path == "" {
		day, _ := prices.BuiltInDate()
		return engine.Prices{Name: prices.Title("prices", day), Mark: prices.BuiltInFingerprint(), Read: prices.BuiltIn}, nil
	}
	mark, modified, err := prices.Fingerprint(path)
	if err != nil {
		return engine.Prices{}, usagef("prices: %w; docs/prices.md says where to get some", err)
	}
	return engine.Prices{Name: prices.Title(filepath.Base(path), modified), Mark: mark, Read: func() ([]tables.Price, error) { return prices.Read(path) }}, nil
}

// sampleDay names the variable with the last day of the sample, in place of yesterday.
const sampleDay = "HINDSQL_SAMPLE_DAY"

// sampleMachine is the machine and user name of the sample.
const sampleMachine = "sample"

// sampleConfig changes c to the sample, which is written into the user's cache.
func sampleConfig(env *environment, c engine.Config) (engine.Config, error) {
	days, err := sample.On(env.getenv(sampleDay), env.clock())
	if err != nil {
		return c, usagef("%s=%w", sampleDay, err)
	}
	home, store, err := days.Unpack(env.getenv("XDG_CACHE_HOME"), engine.IsOpen)
	// The sample is laid out like a Linux home folder on every system.
	c.Host = readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }}
	c.Roots, c.Machine, c.User, c.Store = nil, sampleMachine, sampleMachine, store
	return c, err
}

// ownMachine returns how to find this machine's id, name and user.
func ownMachine(env *environment) machine.Options {
	return machine.Options{Folder: env.configured(""), SystemID: env.systemID, IsSlow: env.slowSystemID, Hostname: env.hostname, User: env.user}
}

func machinePath(env *environment) string { o := ownMachine(env); return o.Path() }

// withMachine returns the configuration with this machine's id, name and user.
func withMachine(env *environment, c engine.Config) (engine.Config, error) {
	m, notice, err := machine.Load(ownMachine(env))
	if err != nil {
		return c, err
	}
	if notice != "" {
		env.notice("%s", strings.ReplaceAll(notice, machinePath(env), env.short(machinePath(env))))
	}
	c.Machine, c.Hostname, c.User = m.ID, cmp.Or(m.Name, env.hostname), env.user
	return c, nil
}

// safeBounds returns the engine's limits; nil without --safe.
func safeBounds(env *environment, from *logFlags) (*engine.Safe, error) {
	if !from.confine.safe {
		return nil, nil
	}
	bounds := &engine.Safe{Time: cmp.Or(env.safeTime, from.confine.time)}
	if from.confine.public {
		c, err := pushConfig(env)
		if err != nil {
			return nil, err
		}
		bounds.Scope = &push.Public{State: pushState(env), Home: env.home, LeaveOut: c.LeaveOut} // decided as a push does
	}
	for _, p := range from.confine.projects {
		folders, err := projectFolders(env, p)
		if err != nil {
			return nil, err
		}
		bounds.Projects = append(bounds.Projects, folders...)
	}
	if from.confine.redact {
		bounds.Redact = redact.New().Redact
	}
	return bounds, nil
}

// projectFolders returns what --project means: a plain name is returned unchanged, and
// a path becomes all paths of the folder.
func projectFolders(env *environment, project string) ([]string, error) {
	if !strings.ContainsAny(project, `/\~.`) {
		return []string{project}, nil
	}
	path, err := filepath.Abs(env.long(project))
	if err != nil {
		return nil, err
	}
	return ask.Under(env.home, path), nil
}

// currentFolders returns all paths of the current folder's repository, or of the folder
// outside of a repository.
func currentFolders(env *environment) ask.Folders { return ask.Around(env.home, env.folder) }

// pushState returns the folder with the state of pushes; empty if no home is known.
func pushState(env *environment) string { return env.state("push") }

// pushConfig reads push.toml.
func pushConfig(env *environment) (push.Config, error) {
	path := env.configured("push.toml")
	if path == "" {
		return push.Config{}, nil
	}
	return push.ReadConfig(path)
}

// placeFlags returns the given flags that name places, such as --store, with absolute
// paths.
func placeFlags(env *environment, from *logFlags) (flags []string, err error) {
	for _, root := range from.roots {
		agent, path, _ := strings.Cut(root, "=")
		path, err := filepath.Abs(env.long(path))
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--root", agent+"="+path)
	}
	for _, file := range []struct{ flag, path string }{{"--store", from.store}, {"--prices", env.long(from.prices)}} {
		if file.path == "" {
			continue
		}
		path, err := filepath.Abs(file.path)
		if err != nil {
			return nil, err
		}
		flags = append(flags, file.flag, path)
	}
	if from.timezone != "" {
		flags = append(flags, "--timezone", from.timezone)
	}
	return flags, nil
}
