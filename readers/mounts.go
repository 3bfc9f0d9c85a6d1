package readers

// mount is the mount point and the device of a file system.
type mount struct{ point, device string }

// deviceIn returns a function that names the device of an absolute path without
// symbolic links. The function asks the list of mounts and not the disk, because a dead
// disk would not answer. If the list names a mount point twice, the last entry is used.
func deviceIn(mounts []mount) func(path string) string {
	return func(path string) string {
		best := mount{}
		for _, m := range mounts {
			if isBelow(m.point, path) && len(m.point) >= len(best.point) {
				best = m
			}
		}
		return best.device
	}
}
