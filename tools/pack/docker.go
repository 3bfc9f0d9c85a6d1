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

// dockerfile returns a Dockerfile for an image with the archive of the same folder.
func dockerfile(r *release) (file, error) {
	debian, err := image(r.needs.glibc())
	if err != nil {
		return file{}, err
	}
	folder := "hindsql-" + r.version + "-" + r.os + "-" + r.arch
	text := strings.NewReplacer("IMAGE", debian, "ARCHIVE", folder+".tar.gz", "FOLDER", folder).Replace(dockerText)
	return file{name: "Dockerfile", text: []byte(text)}, nil
}
