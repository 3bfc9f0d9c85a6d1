package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// part is software linked into the program.
type part struct {
	name, version string
	purl          string // package URL; empty if none
	sum           string // checksum from go.sum; empty if the part is no module
	licence       string // SPDX expression
	texts         []string
}

// partsOf lists the parts of a program: its own source, Go, the modules in its build
// information, DuckDB included, and the linked libraries of the C++ compiler.
func partsOf(r *release, program string) ([]part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	cache, err := r.run("go", "env", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	root, err := r.run("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	all := []part{
		{name: "hindsql", version: r.version, licence: "MIT"},
		{name: "Go", version: strings.TrimPrefix(info.GoVersion, "go"), purl: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")},
	}
	if err := all[1].read(root); err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		p := part{name: m.Path, version: m.Version, purl: "pkg:golang/" + m.Path + "@" + m.Version, sum: m.Sum}
		if err := p.read(filepath.Join(cache, filepath.FromSlash(escaped(m.Path)+"@"+escaped(m.Version)))); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if r.os != "darwin" {
		_, cxx, err := r.compilers()
		if err != nil {
			return nil, err
		}
		gcc, err := r.run(cxx[0], append(cxx[1:], "-dumpfullversion")...)
		if err != nil {
			return nil, err
		}
		all = append(all, part{name: "libstdc++ and libgcc", version: gcc, licence: "GPL-3.0-or-later WITH GCC-exception-3.1",
			texts: []string{"The run-time libraries of GCC. Their exception allows programs under any licence to have them linked in;\n" +
				"the texts are at https://gcc.gnu.org/onlinedocs/libstdc++/manual/license.html\n"}})
	}
	prices, err := pricesOf(r)
	return append(all, prices), err
}

// pricesOf returns the part for LiteLLM's list of prices.
func pricesOf(r *release) (part, error) {
	folder := filepath.Join(r.repository, "tables", "prices")
	about, err := os.ReadFile(filepath.Join(folder, "litellm.txt"))
	if err != nil {
		return part{}, err
	}
	notice, err := os.ReadFile(filepath.Join(folder, "LICENSE.litellm"))
	words := strings.Fields(string(about)) // day, package, version, sum
	return part{name: "prices of models from " + words[1], version: words[2], purl: "pkg:pypi/" + words[1] + "@" + words[2], licence: "MIT", texts: []string{string(notice)}}, err
}

// escaped returns a module's path in the module cache's form. Each capital is marked,
// for file systems that ignore case.
func escaped(path string) string {
	var text strings.Builder
	for _, c := range path {
		if unicode.IsUpper(c) {
			text.WriteByte('!')
			c = unicode.ToLower(c)
		}
		text.WriteRune(c)
	}
	return text.String()
}

// licenceFile matches files with a licence or with the names of licensors.
var licenceFile = regexp.MustCompile(`(?i)^(LICEN[CS]E|COPYING|NOTICE|PATENTS)([-.].*)?$`)

// read reads the licence from a folder. An unknown licence is an error, because a
// person must look at it before the program is distributed.
func (p *part) read(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		if err := p.addText(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	p.licence = licenceOf(strings.Join(p.texts, "\n"))
	if p.licence == "" {
		return fmt.Errorf("%s %s: no licence that is known in %s; add its words to licenceMarks", p.name, p.version, folder)
	}
	more, err := filepath.Glob(filepath.Join(folder, "licenses", "*")) // texts of licences that LICENSE only names
	if err != nil {
		return err
	}
	for _, path := range more {
		if err := p.addText(path); err != nil {
			return err
		}
	}
	return nil
}

func (p *part) addText(path string) error {
	text, err := os.ReadFile(path)
	p.texts = append(p.texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))+"\n")
	return err
}

// licenceMarks lists words that identify a licence.
var licenceMarks = []struct{ words, id string }{
	{"apache license version 2.0", "Apache-2.0"},
	{"apache license, version 2.0", "Apache-2.0"},
	{"mozilla public license, version 2.0", "MPL-2.0"},
	{"mozilla public license version 2.0", "MPL-2.0"},
	{"permission to use, copy, modify, and/or distribute this software", "ISC"},
	{"permission is hereby granted, free of charge", "MIT"},
	{"this is free and unencumbered software", "Unlicense"},
	{"the freetype license", "FTL"}, // or the GPL, which no user has to choose
	{"may be used to endorse or promote products", "BSD-3-Clause"},
	{"redistribution and use in source and binary forms", "BSD-2-Clause"},
}

// licenceOf returns the SPDX expression for a licence's text: all recognized licences
// joined with AND. The result is empty if no licence is recognized.
func licenceOf(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	var found []string
	for _, m := range licenceMarks {
		all := strings.Join(found, " ")
		if strings.Contains(text, m.words) && !strings.Contains(all, m.id) && !(m.id == "BSD-2-Clause" && strings.Contains(all, "BSD-3")) {
			found = append(found, m.id)
		}
	}
	return strings.Join(found, " AND ")
}
