package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// nodePackage has Node on npm: agents need a newer one than most systems have.
const nodePackage = "node@26"

// A fetcher keeps packages in a folder: AGENT/VERSION/node_modules.
type fetcher struct {
	folder string
	mu     sync.Mutex // held while Node is fetched
}

// npm runs npm in a folder and returns its output. The error is npm's own message.
func npm(ctx context.Context, folder string, args ...string) (string, error) {
	return npmIn(ctx, folder, nil, args...)
}

// npmIn is npm with an environment. Nil is this process's.
func npmIn(ctx context.Context, folder string, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.Dir, cmd.Env = folder, env
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("npm %s: %s", args[0], cmp.Or(npmMessage(wrong.String()), err.Error()))
	}
	return string(out), nil
}

// npmMessage returns what npm says of an error, without code, path and log file.
func npmMessage(text string) string {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "npm error ")
		if ok && !strings.HasPrefix(line, "code ") && line != "" {
			return line
		}
	}
	return ""
}

// A release is a package's newest version.
type release struct {
	name, version string
	deprecated    string    // the package's own words; empty if it isn't
	released      time.Time // zero if npm doesn't tell
}

// stale is the age at which the newest release makes people look for a successor: agents
// have a release every few days.
const stale = 45 * 24 * time.Hour

// moved returns a remark if the program may live on under another name, or "".
func (r release) moved(now time.Time) string {
	switch {
	case r.deprecated != "":
		return fmt.Sprintf("%s is deprecated: %s", r.name, r.deprecated)
	case !r.released.IsZero() && now.Sub(r.released) > stale:
		return fmt.Sprintf("%s %s is of %s: look for a successor", r.name, r.version, r.released.Format(time.DateOnly))
	}
	return ""
}

// newest asks npm for the newest release of a package. Names of a program that moved
// are tried newest first.
func newest(ctx context.Context, names []string) (release, error) {
	var wrong []string
	for i := len(names) - 1; i >= 0; i-- {
		out, err := npm(ctx, ".", "view", names[i], "name", "version", "deprecated", "--json")
		if err != nil {
			wrong = append(wrong, names[i]+": "+err.Error())
			continue
		}
		var r struct{ Name, Version, Deprecated string }
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			return release{}, fmt.Errorf("npm view %s: %w", names[i], err)
		}
		return release{r.Name, r.Version, r.Deprecated, released(ctx, r.Name, r.Version)}, nil
	}
	return release{}, errors.New(strings.Join(wrong, "; "))
}

// released returns the time of a release, or the zero time.
func released(ctx context.Context, name, version string) time.Time {
	var times map[string]time.Time
	if out, err := npm(ctx, ".", "view", name, "time", "--json"); err == nil {
		_ = json.Unmarshal([]byte(out), &times)
	}
	return times[version]
}

// node fetches Node and returns the folder of its binary.
func (f *fetcher) node(ctx context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	folder := filepath.Join(f.folder, "node")
	bin := filepath.Join(folder, "node_modules", "node", "bin")
	whole := filepath.Join(folder, "fetched")
	if _, err := os.Stat(whole); err == nil {
		return bin, nil
	}
	if err := prepare(folder); err != nil {
		return "", err
	}
	// The package's script fetches the binary of this system.
	if _, err := npm(ctx, folder, "install", "--no-audit", "--no-fund", nodePackage); err != nil {
		return "", err
	}
	return bin, os.WriteFile(whole, nil, 0o644)
}

// fetch fetches a release into a folder of its own, once, and returns the folder of
// the package. If npm install fails, because a dependency isn't on the registry, npm pack
// fetches the package alone, and the packages of the field pack.
func (f *fetcher) fetch(ctx context.Context, a *agent, r release) (string, error) {
	folder := filepath.Join(f.folder, a.name, r.version)
	modules := filepath.Join(folder, "node_modules")
	home := filepath.Join(modules, filepath.FromSlash(r.name))
	whole := filepath.Join(folder, "fetched")
	if _, err := os.Stat(whole); err == nil {
		return home, nil
	}
	if err := prepare(folder); err != nil {
		return "", err
	}
	_, err := npm(ctx, folder, "install", "--no-audit", "--no-fund", "--ignore-scripts", r.name+"@"+r.version)
	if err == nil && (a.native || a.scripts) {
		err = f.runScripts(ctx, folder)
	}
	if err != nil && a.pack != nil {
		err = unpack(ctx, folder, append([]string{r.name + "@" + r.version}, a.pack...))
	}
	if err != nil {
		return "", err
	}
	return home, os.WriteFile(whole, nil, 0o644)
}

// runScripts runs the scripts of installed packages, with the newest Node and an empty
// home folder: Grok Build's script writes its program and settings to ~/.grok, too.
func (f *fetcher) runScripts(ctx context.Context, folder string) error {
	node, err := f.node(ctx)
	if err != nil {
		return err
	}
	return rebuild(ctx, folder, node)
}

// rebuild runs the scripts with the Node of a folder.
func rebuild(ctx context.Context, folder, node string) error {
	home := filepath.Join(folder, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	path := node + string(os.PathListSeparator) + os.Getenv("PATH")
	_, err := npmIn(ctx, folder, []string{"HOME=" + home, "PATH=" + path}, "rebuild")
	return err
}

// prepare makes a folder with a package.json, as npm wants a project.
func prepare(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"private": true}`), 0o644)
}

// unpack puts packages into node_modules, without dependencies.
func unpack(ctx context.Context, folder string, packages []string) error {
	for _, p := range packages {
		out, err := npm(ctx, folder, "pack", "--silent", p)
		if err != nil {
			return err
		}
		name := p
		if i := strings.LastIndex(p, "@"); i > 0 {
			name = p[:i]
		}
		into := filepath.Join(folder, "node_modules", filepath.FromSlash(name))
		if err := os.MkdirAll(into, 0o755); err != nil {
			return err
		}
		tar := exec.CommandContext(ctx, "tar", "-xzf", strings.TrimSpace(out), "--strip-components=1", "-C", into)
		tar.Dir = folder
		if text, err := tar.CombinedOutput(); err != nil {
			return fmt.Errorf("tar %s: %w: %s", p, err, text)
		}
	}
	return nil
}
