//go:build !linux

package readers

func list(folder string, wanted func(name string) bool) ([]entry, error) {
	return listPortably(folder, wanted)
}
