package engine_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestExtensionsLoad: a user's DuckDB extension can be loaded. A fully static program
// dies here with a signal, because glibc then has no working dlopen.
func TestExtensionsLoad(t *testing.T) {
	t.Parallel()
	s := newHome(t).Open()
	version := rows(t, s, "SELECT library_version FROM pragma_version()")[0]
	platform := rows(t, s, "PRAGMA platform")[0]
	path := installedExtension(version, platform)
	if path == "" {
		t.Skipf("no extension for DuckDB %s is installed; `make e2e` gets one from PyPI", version)
	}
	rows(t, s, "LOAD '"+path+"'")
	loaded := rows(t, s, "SELECT count(*) FROM duckdb_extensions() WHERE loaded AND install_mode <> 'STATICALLY_LINKED'")
	if loaded[0] != "1" {
		t.Errorf("%s: %s extensions are loaded that were not linked in", path, loaded[0])
	}
}

// installedExtension returns the path of an extension in the folders of DuckDB or pip;
// empty if no extension is installed. $HINDSQL_EXTENSIONS is a further folder of Python
// packages.
func installedExtension(version, platform string) (path string) {
	home, _ := os.UserHomeDir()
	inPackages := filepath.Join("duckdb_extension_*", "extensions", version, "*.duckdb_extension")
	for _, pattern := range []string{
		filepath.Join(os.Getenv("HINDSQL_EXTENSIONS"), inPackages),
		filepath.Join(home, ".duckdb", "extensions", version, platform, "*.duckdb_extension"),
		filepath.Join(os.Getenv("VIRTUAL_ENV"), "lib", "python3*", "site-packages", inPackages),
		filepath.Join(home, ".local", "lib", "python3*", "site-packages", inPackages),
		filepath.Join(home, ".pyenv", "versions", "*", "lib", "python3*", "site-packages", inPackages),
		filepath.Join("/usr", "*", "lib", "python3*", "*-packages", inPackages),
		filepath.Join("/usr", "lib", "python3*", "*-packages", inPackages),
	} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}
