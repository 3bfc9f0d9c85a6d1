package export

import "os"

// Announce writes the manifest that a folder has while the files of another folder's
// export are moved into it.
func Announce(dir, next string) error {
	d, err := openFolder(dir)
	if err != nil {
		return err
	}
	defer d.close()
	root, err := os.OpenRoot(next)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := readManifest(root, manifestName, &d.next); err != nil {
		return err
	}
	return d.writeInterimManifest()
}
