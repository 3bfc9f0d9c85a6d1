package sqlite

// Expire closes what no view has open.
func Expire() {
	kept.mu.Lock()
	list := append([]*snapshot(nil), kept.list...)
	kept.mu.Unlock()
	for _, s := range list {
		s.expire()
	}
}
