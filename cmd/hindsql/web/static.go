package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"sync"
	"time"

	"hindsql/queries/html"
)

//go:embed static
var staticFiles embed.FS

// stylesheet is the name of the combined stylesheet: package html's and the pages' own.
const stylesheet = "style.css"

// styles returns the combined stylesheet.
var styles = sync.OnceValue(func() []byte {
	all := bytes.NewBufferString(html.Style())
	for _, name := range []string{"page.css", "sql.css", "events.css", "session.css"} {
		text, err := staticFiles.ReadFile("static/" + name)
		if err != nil {
			panic(err)
		}
		all.Write(text)
	}
	return all.Bytes()
})

// staticPath returns the folder of style and scripts, with a hash of their content.
// Browsers may keep the files, because a new build has a new hash.
var staticPath = sync.OnceValue(func() string {
	hash := sha256.New()
	_ = fs.WalkDir(staticFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := staticFiles.ReadFile(name)
		hash.Write(text)
		return err
	})
	hash.Write(styles())
	return "/static/" + hex.EncodeToString(hash.Sum(nil)[:8])
})

// kinds maps the extensions of static files to media types.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// static sends style and scripts.
func static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	text, err := staticFiles.ReadFile("static/" + name)
	if name == stylesheet {
		text, err = styles(), nil
	}
	if err != nil || kinds[path.Ext(name)] == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
