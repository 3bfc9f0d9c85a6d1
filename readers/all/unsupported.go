package all

import (
	"cmp"
	"path/filepath"

	"hindsql/readers"
)

// Reasons why an agent's logs aren't read.
const (
	noReader = "hindsql has no reader for its logs yet"
	notTried = "its logs were never tried with hindsql"
)

// UnsupportedAgents lists agents whose logs are found and not read, the most used
// first. The folders come from the programs themselves if they are open, otherwise from
// readers of others: kenn-io/agentsview, internal/parser/types.go;
// getagentseal/codeburn#383 (Windsurf); tenequm/pond#203 (Crush); tommy0103/obelisk#196
// (Hermes); kenn-io/agentsview#1315 (Goose).
func UnsupportedAgents() []*readers.UnsupportedAgent { return unsupported }

var unsupported = []*readers.UnsupportedAgent{
	{Title: "Kimi CLI", Folders: kimiCLI, Why: noReader + "; the logs of Kimi Code, its successor, have another format"},
	{Title: "Cursor", Folders: cursor, Why: "closed source, and needs an account: its logs could not be tried, and other projects' samples hardly tell refusals"},
	{Title: "Antigravity", Folders: readers.HomeFolders(".gemini/antigravity", ".gemini/antigravity-cli"), Why: "closed source: its logs could not be tried, and other projects' samples record no decisions"},
	{Title: "Kiro", Folders: kiro, Why: "closed source: its logs could not be tried, and have three formats"},
	{Title: "Goose", Folders: goose, Why: notTried},
	{Title: "Droid", Folders: readers.HomeFolders(".factory/sessions"), Why: notTried},
	{Title: "Amp", Folders: readers.HomeFolders(".local/share/amp/threads"), Why: notTried},
	{Title: "Crush", Folders: crush, Why: notTried + ", and lie in each project"},
	{Title: "Mistral Vibe", Folders: readers.HomeFolders(".vibe/logs"), Why: notTried},
	{Title: "Hermes Agent", Folders: hermes, Why: notTried},
	{Title: "Zed", Folders: zed, Why: notTried},
	{Title: "Junie", Folders: readers.HomeFolders(".junie/sessions"), Why: notTried},
	{Title: "Windsurf", Folders: readers.HomeFolders(".codeium/windsurf"), Why: "its conversations are encrypted"},
	{Title: "Roo Code", Folders: extension("rooveterinaryinc.roo-cline"), Why: notTried},
	{Title: "Kilo Code, the VS Code extension until 2026", Folders: extension("kilocode.kilo-code/tasks"), Why: notTried + "; newer versions keep sessions in Kilo's folder"},
	{Title: "iFlow", Folders: readers.HomeFolders(".iflow"), Why: notTried},
	{Title: "LLxprt Code", Folders: readers.HomeFolders(".llxprt"), Why: notTried},
}

func kimiCLI(host readers.Host) []string {
	return []string{readers.HomeFolder("KIMI_SHARE_DIR", ".kimi")(host)}
}

// extension returns the folder that VS Code gives an extension, slash-separated.
func extension(folder string) func(readers.Host) []string {
	return func(host readers.Host) []string {
		return []string{filepath.Join(host.ConfigFolder(), "Code", "User", "globalStorage", filepath.FromSlash(folder))}
	}
}

// cursor returns the folders of the command line and of the editor.
func cursor(host readers.Host) []string {
	return append(readers.HomeFolders(".cursor")(host), filepath.Join(host.ConfigFolder(), "Cursor"))
}

// kiro returns the folders of the command line's generations, and of the editor.
func kiro(host readers.Host) []string {
	folders := append(readers.HomeFolders(".kiro")(host), filepath.Join(host.ConfigFolder(), "Kiro"))
	if host.OS == "windows" {
		return folders
	}
	return append(folders, filepath.Join(dataFolder(host), "kiro-cli"))
}

func goose(host readers.Host) []string {
	if host.OS == "windows" {
		return []string{filepath.Join(host.ConfigFolder(), "Block", "goose", "data", "sessions")}
	}
	return []string{filepath.Join(xdgData(host), "goose", "sessions")}
}

// crush returns the list of the projects with a database.
func crush(host readers.Host) []string {
	folder := filepath.Join(xdgData(host), "crush")
	if host.OS == "windows" {
		folder = filepath.Join(dataFolder(host), "crush")
	}
	return []string{filepath.Join(cmp.Or(host.Getenv("CRUSH_GLOBAL_DATA"), folder), "projects.json")}
}

func hermes(host readers.Host) []string {
	if host.OS == "windows" && host.Getenv("HERMES_HOME") == "" {
		return []string{filepath.Join(dataFolder(host), "hermes")}
	}
	return []string{readers.HomeFolder("HERMES_HOME", ".hermes")(host)}
}

func zed(host readers.Host) []string {
	name := "Zed"
	if host.OS == "linux" {
		name = "zed"
	}
	return []string{filepath.Join(dataFolder(host), name, "threads")}
}

// dataFolder returns the folder in which programs keep data on this kind of machine.
func dataFolder(host readers.Host) string {
	switch host.OS {
	case "darwin":
		return host.ConfigFolder()
	case "windows":
		return cmp.Or(host.Getenv("LOCALAPPDATA"), filepath.Join(host.Home, "AppData", "Local"))
	}
	return xdgData(host)
}

// xdgData returns the folder in which programs keep data on Linux. Some programs use the
// folder on every machine.
func xdgData(host readers.Host) string {
	return cmp.Or(host.Getenv("XDG_DATA_HOME"), filepath.Join(host.Home, ".local", "share"))
}
