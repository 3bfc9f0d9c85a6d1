package main

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"strings"
	"text/template"
)

// downloads is the address of the release's files. Whoever publishes hindsql puts an
// address here. "example.invalid" belongs to nobody.
const downloads = "https://example.invalid/hindsql/releases/download/v"

// homepage is the address of the project, for the manifests.
const homepage = "https://example.invalid/hindsql"

// manifests has the templates of the manifests for installers that fetch an archive.
//
//go:embed manifests
var manifests embed.FS

// manifest is a file for an installer.
type manifest struct {
	name, template string
	platform       string // needed; empty for any
}

// offers lists the manifests. Their documentation: docs.brew.sh/Formula-Cookbook;
// github.com/ScoopInstaller/Scoop/wiki/App-Manifests; winget's schemas 1.6.0 of version,
// installer and default locale, in github.com/microsoft/winget-cli/tree/master/schemas.
var offers = []manifest{
	{"hindsql.rb", "homebrew.rb.in", ""},
	{"hindsql.scoop.json", "scoop.json.in", "windows/amd64"},
	{"hindsql.hindsql.yaml", "winget.yaml.in", "windows/amd64"},
	{"hindsql.hindsql.installer.yaml", "winget.installer.yaml.in", "windows/amd64"},
	{"hindsql.hindsql.locale.en-US.yaml", "winget.locale.yaml.in", "windows/amd64"},
}

// offered is what a manifest's template gets.
type offered struct {
	Version, Summary, Homepage, Date string
	archives                         map[string]file // by GOOS/GOARCH
}

// Has reports whether there is an archive for a platform.
func (o offered) Has(platform string) bool { return o.archives[platform].name != "" }

// URL is the address of a platform's archive.
func (o offered) URL(platform string) string {
	return downloads + o.Version + "/" + o.archives[platform].name
}

// Sum is the SHA-256 of a platform's archive.
func (o offered) Sum(platform string) string {
	return fmt.Sprintf("%x", sha256.Sum256(o.archives[platform].text))
}

// Folder is the folder in a platform's archive.
func (o offered) Folder(platform string) string {
	return strings.TrimSuffix(strings.TrimSuffix(o.archives[platform].name, ".zip"), ".tar.gz")
}

// together makes the files for all platforms: the npm package that users install, the
// Dockerfile, and the manifests. packages has the archives.
func together(all []*release, packages []file) ([]file, error) {
	main, err := npmMain(all)
	if err != nil {
		return nil, err
	}
	list := []file{main}
	about := offered{Version: all[0].version, Summary: summary, Homepage: homepage, Date: all[0].date.Format("2006-01-02"), archives: map[string]file{}}
	for _, r := range all {
		for _, p := range packages {
			if strings.TrimSuffix(strings.TrimSuffix(p.name, ".zip"), ".tar.gz") == r.folder() {
				about.archives[r.os+"/"+r.arch] = p
			}
		}
	}
	if docker, err := dockerfile(all); err != nil {
		return nil, err
	} else if docker.name != "" {
		list = append(list, docker)
	}
	for _, m := range offers {
		if m.platform != "" && !about.Has(m.platform) {
			continue
		}
		var text strings.Builder
		t, err := template.ParseFS(manifests, "manifests/"+m.template)
		if err == nil {
			err = t.Execute(&text, about)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, file{name: m.name, text: []byte(text.String())})
	}
	return list, nil
}
