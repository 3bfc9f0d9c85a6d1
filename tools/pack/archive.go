package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"time"
)

// archive makes a tar.gz, or a zip on Windows. The content of the top folder unpacks
// into a prefix such as ~/.local.
func archive(r *release) (file, error) {
	folder := r.folder()
	var inside []file
	for _, f := range r.files {
		inside = append(inside, file{folder + "/" + f.name, f.mode, f.text})
	}
	if r.os == "windows" {
		text, err := zipped(inside, r.date)
		return file{name: folder + ".zip", text: text}, err
	}
	text, err := tarred(inside, r.date)
	return file{name: folder + ".tar.gz", text: text}, err
}

// tarred makes a tar.gz without traces of the building machine or user.
func tarred(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	g, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(g)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: date, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := g.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped makes a zip with the files in order. Times in a zip have no zone; these are
// UTC.
func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(fs.FileMode(f.mode))
		to, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(to, bytes.NewReader(f.text)); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
