package resttest

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/apache/iceberg-go/view"
)

// advertised returns a route in the specification's notation.
func advertised(pattern string) string {
	pattern = strings.Replace(pattern, "/v1/", "/v1/{prefix}/", 1)
	return regexp.MustCompile(`/(table|view)s/\{name\}`).ReplaceAllString(pattern, "/${1}s/{$1}")
}

func (s *Server) listTables(r *http.Request) (any, error) { return list(r, s.namespaces, s.tables) }

func (s *Server) listViews(r *http.Request) (any, error) { return list(r, s.namespaces, s.views) }

func list[V any](r *http.Request, namespaces map[string]bool, of map[string]V) (any, error) {
	namespace := r.PathValue("namespace")
	if !namespaces[namespace] {
		return nil, missing(namespace)
	}
	found := []any{}
	for name := range of {
		if name, ok := strings.CutPrefix(name, namespace+"."); ok {
			found = append(found, map[string]any{"namespace": []string{namespace}, "name": name})
		}
	}
	return map[string]any{"identifiers": found}, nil
}

func (s *Server) table(r *http.Request) (any, error) {
	e := s.tables[key(r)]
	if e == nil {
		return nil, missing(key(r))
	}
	return e.loaded(), nil
}

func (s *Server) dropTable(r *http.Request) (any, error) {
	delete(s.tables, key(r))
	return nil, nil
}

// commitTable accepts a commit if all requirements hold.
func (s *Server) commitTable(r *http.Request) (any, error) {
	e := s.tables[key(r)]
	if e == nil {
		return nil, missing(key(r))
	}
	var ask struct {
		Requirements table.Requirements `json:"requirements"`
		Updates      table.Updates      `json:"updates"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		return nil, err
	}
	if s.Commit != nil {
		if err := s.Commit(r.PathValue("name")); err != nil {
			return nil, statusError{http.StatusConflict, err.Error()}
		}
	}
	for _, required := range ask.Requirements {
		if err := required.Validate(e.meta); err != nil {
			return nil, statusError{http.StatusConflict, err.Error()}
		}
	}
	meta, err := table.UpdateTableMetadata(e.meta, ask.Updates, e.location)
	if err != nil {
		return nil, err
	}
	next := &entry{meta: meta}
	if err := s.write(r.Context(), next); err != nil {
		return nil, err
	}
	s.tables[key(r)] = next
	return next.loaded(), nil
}

func loadedView(m view.Metadata) any {
	return map[string]any{"metadata-location": m.Location() + "/metadata/v.json", "metadata": m}
}

func (s *Server) view(r *http.Request) (any, error) {
	m := s.views[key(r)]
	if m == nil {
		return nil, missing(key(r))
	}
	return loadedView(m), nil
}

func (s *Server) createView(r *http.Request) (any, error) {
	var ask struct {
		Name    string             `json:"name"`
		Schema  *iceberg.Schema    `json:"schema"`
		Props   iceberg.Properties `json:"properties"`
		Version *view.Version      `json:"view-version"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		return nil, err
	}
	name := r.PathValue("namespace") + "." + ask.Name
	if s.views[name] != nil {
		return nil, statusError{http.StatusConflict, name + " exists"}
	}
	m, err := view.NewMetadata(ask.Version, ask.Schema, s.Warehouse+"/views/"+name, ask.Props)
	if err != nil {
		return nil, err
	}
	s.views[name] = m
	return loadedView(m), nil
}

func (s *Server) updateView(r *http.Request) (any, error) {
	m := s.views[key(r)]
	if m == nil {
		return nil, missing(key(r))
	}
	var ask struct {
		Requirements view.Requirements `json:"requirements"`
		Updates      view.Updates      `json:"updates"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		return nil, err
	}
	var conflict error
	for _, required := range ask.Requirements {
		conflict = errors.Join(conflict, required.Validate(m))
	}
	if conflict != nil {
		return nil, statusError{http.StatusConflict, conflict.Error()}
	}
	build, err := view.MetadataBuilderFromBase(m)
	if err != nil {
		return nil, err
	}
	for _, u := range ask.Updates {
		if err := u.Apply(build); err != nil {
			return nil, err
		}
	}
	built, err := build.Build()
	if err != nil {
		return nil, err
	}
	s.views[key(r)] = built
	return loadedView(built), nil
}
