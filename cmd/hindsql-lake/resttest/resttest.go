// Package resttest is an Iceberg REST catalog in memory, for tests: namespaces, tables
// and views. It checks each commit's requirements and applies the updates according to
// the specification.
//
// In: requests of a client. Out: answers, and the tables' metadata files in the
// warehouse. The catalog has no users, and stores nothing beyond the process.
package resttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
	"github.com/google/uuid"
)

// Server is a catalog. The zero value has no warehouse.
type Server struct {
	Warehouse string            // URL of the folder for tables
	Files     map[string]string // access to the warehouse, with iceberg-go's names
	NoViews   bool              // answers like a catalog without views

	// Commit is called before each commit of a table. An error becomes a conflict. Nil
	// accepts all commits.
	Commit func(name string) error
	// Fault is called before each request. A status other than 0 replaces the answer;
	// done says whether the request is carried out nevertheless. Nil for no faults.
	Fault func(r *http.Request) (status int, done bool)

	mu         sync.Mutex
	namespaces map[string]bool
	tables     map[string]*entry
	views      map[string]view.Metadata
	made       int
}

// entry is a table.
type entry struct {
	location string
	meta     table.Metadata
}

// statusError is an error with an HTTP status.
type statusError struct {
	status int
	text   string
}

func (e statusError) Error() string { return e.text }

func missing(what string) error { return statusError{http.StatusNotFound, what + " does not exist"} }

// handle answers a request with a value; nil means no body.
type handle func(r *http.Request) (any, error)

// routes lists the handlers by method and path.
func (s *Server) routes() map[string]handle {
	list := map[string]handle{
		"GET /v1/namespaces":                                    s.listNamespaces,
		"POST /v1/namespaces":                                   s.createNamespace,
		"GET /v1/namespaces/{namespace}":                        s.namespace,
		"GET /v1/namespaces/{namespace}/tables":                 s.listTables,
		"POST /v1/namespaces/{namespace}/tables":                s.createTable,
		"GET /v1/namespaces/{namespace}/tables/{name}":          s.table,
		"POST /v1/namespaces/{namespace}/tables/{name}":         s.commitTable,
		"DELETE /v1/namespaces/{namespace}/tables/{name}":       s.dropTable,
		"POST /v1/namespaces/{namespace}/tables/{name}/metrics": func(*http.Request) (any, error) { return nil, nil },
	}
	if !s.NoViews {
		list["GET /v1/namespaces/{namespace}/views"] = s.listViews
		list["POST /v1/namespaces/{namespace}/views"] = s.createView
		list["GET /v1/namespaces/{namespace}/views/{name}"] = s.view
		list["POST /v1/namespaces/{namespace}/views/{name}"] = s.updateView
	}
	return list
}

// Handler returns the HTTP handler of a new, empty catalog.
func (s *Server) Handler() http.Handler {
	s.namespaces, s.tables, s.views = map[string]bool{}, map[string]*entry{}, map[string]view.Metadata{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/config", func(w http.ResponseWriter, _ *http.Request) { s.answer(w, s.config(), nil) })
	for pattern, h := range s.routes() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			status, done := 0, true
			if s.Fault != nil {
				status, done = s.Fault(r)
			}
			var value any
			var err error
			if done || status == 0 {
				value, err = h(r)
			}
			if status != 0 {
				err = statusError{status, "a fault"}
			}
			s.answer(w, value, err)
		})
	}
	return mux
}

// answer writes a value, or an error in the specification's form.
func (s *Server) answer(w http.ResponseWriter, value any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		var t statusError
		if !errors.As(err, &t) {
			t = statusError{http.StatusBadRequest, err.Error()}
		}
		w.WriteHeader(t.status)
		value = map[string]any{"error": map[string]any{"message": t.text, "type": http.StatusText(t.status), "code": t.status}}
	}
	if value == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	_ = json.NewEncoder(w).Encode(value) // fails if the client has gone
}

// config lists the endpoints, which clients ask for first.
func (s *Server) config() any {
	var endpoints []string
	for pattern := range s.routes() {
		endpoints = append(endpoints, advertised(pattern))
	}
	return map[string]any{"defaults": map[string]string{}, "overrides": map[string]string{}, "endpoints": endpoints}
}

func key(r *http.Request) string { return r.PathValue("namespace") + "." + r.PathValue("name") }

func (s *Server) listNamespaces(*http.Request) (any, error) {
	list := [][]string{}
	for name := range s.namespaces {
		list = append(list, []string{name})
	}
	return map[string]any{"namespaces": list}, nil
}

func (s *Server) createNamespace(r *http.Request) (any, error) {
	var ask struct {
		Namespace []string `json:"namespace"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		return nil, fmt.Errorf("namespace: %w", err)
	}
	if len(ask.Namespace) != 1 {
		return nil, fmt.Errorf("namespace %v: not of one level", ask.Namespace)
	}
	if s.namespaces[ask.Namespace[0]] {
		return nil, statusError{http.StatusConflict, ask.Namespace[0] + " exists"}
	}
	s.namespaces[ask.Namespace[0]] = true
	return map[string]any{"namespace": ask.Namespace, "properties": map[string]string{}}, nil
}

func (s *Server) namespace(r *http.Request) (any, error) {
	name := r.PathValue("namespace")
	if !s.namespaces[name] {
		return nil, missing(name)
	}
	return map[string]any{"namespace": []string{name}, "properties": map[string]string{}}, nil
}

func (s *Server) write(ctx context.Context, e *entry) error {
	s.made++
	e.location = fmt.Sprintf("%s/metadata/%05d-%s.metadata.json", e.meta.Location(), s.made, uuid.New())
	text, err := json.Marshal(e.meta)
	if err != nil {
		return err
	}
	files, err := io.LoadFS(ctx, s.Files, e.location)
	if err != nil {
		return err
	}
	return files.(io.WriteFileIO).WriteFile(e.location, text)
}

func (e *entry) loaded() any {
	return map[string]any{"metadata-location": e.location, "metadata": e.meta, "config": map[string]string{}}
}

func (s *Server) createTable(r *http.Request) (any, error) {
	var ask struct {
		Name   string                 `json:"name"`
		Schema *iceberg.Schema        `json:"schema"`
		Spec   *iceberg.PartitionSpec `json:"partition-spec"`
		Props  iceberg.Properties     `json:"properties"`
		Stage  bool                   `json:"stage-create"`
	}
	namespace := r.PathValue("namespace")
	switch err := json.NewDecoder(r.Body).Decode(&ask); {
	case err != nil:
		return nil, err
	case ask.Stage:
		return nil, fmt.Errorf("tables aren't staged here")
	case !s.namespaces[namespace]:
		return nil, missing(namespace)
	case s.tables[namespace+"."+ask.Name] != nil:
		return nil, statusError{http.StatusConflict, ask.Name + " exists"}
	}
	if ask.Spec == nil {
		ask.Spec = iceberg.UnpartitionedSpec
	}
	meta, err := table.NewMetadata(ask.Schema, ask.Spec, table.UnsortedSortOrder, s.Warehouse+"/"+namespace+"/"+ask.Name, ask.Props)
	if err != nil {
		return nil, err
	}
	e := &entry{meta: meta}
	if err := s.write(r.Context(), e); err != nil {
		return nil, err
	}
	s.tables[namespace+"."+ask.Name] = e
	return e.loaded(), nil
}
