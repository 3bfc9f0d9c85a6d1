package sqlite

// Expire closes all kept states that have no view.
func Expire() {
	kept.mu.Lock()
	list := append([]*snapshot(nil), kept.list...)
	kept.mu.Unlock()
	for _, s := range list {
		s.expire()
	}
}
