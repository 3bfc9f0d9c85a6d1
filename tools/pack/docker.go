package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed Dockerfile.in
var dockerText string

// images lists the glibc versions and images of Debian, oldest first.
var images = [][2]string{{"2.28", "buster-slim"}, {"2.31", "bullseye-slim"}, {"2.36", "bookworm-slim"}, {"2.41", "trixie-slim"}}

// image returns the oldest Debian image on which the program runs.
func image(glibc string) (string, error) {
	for _, i := range images {
		if !older(i[0], glibc) {
			return i[1], nil
		}
	}
	return "", fmt.Errorf("glibc %s: no Debian that is known here has it", glibc)
}

// dockerfile returns a Dockerfile for an image with the archive of the same folder. The
// image is for the first processor on Linux, unless docker builds it for another. The
// file has no name if no release is for Linux.
func dockerfile(all []*release) (file, error) {
	var first *release
	newest := ""
	for _, r := range all {
		if r.os != "linux" {
			continue
		}
		if first == nil {
			first = r
		}
		if glibc := r.needs.glibc(); newest == "" || older(newest, glibc) {
			newest = glibc
		}
	}
	if first == nil {
		return file{}, nil
	}
	debian, err := image(newest)
	if err != nil {
		return file{}, err
	}
	text := strings.NewReplacer("IMAGE", debian, "DEFAULT", first.arch, "FOLDER", "hindsql-"+first.version+"-linux-$TARGETARCH").Replace(dockerText)
	return file{name: "Dockerfile", text: []byte(text)}, nil
}
