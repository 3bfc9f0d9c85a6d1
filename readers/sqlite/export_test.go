package sqlite

// Expire closes all kept states that have no view.
func Expire() {
	cache.mu.Lock()
	list := append([]*snapshot(nil), cache.list...)
	cache.mu.Unlock()
	for _, s := range list {
		s.expire()
	}
}
