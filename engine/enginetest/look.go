package enginetest

// looking returns a session for queries. It reuses the session until the store is
// opened in another way, because starting DuckDB takes as long as most queries. Between
// two queries, no file stays open.
func (h *Home) looking() Face {
	h.T.Helper()
	if h.look.Session == nil {
		h.look = Open(h.T, h.config())
	}
	return h.look
}

// stopLooking ends the session of looking.
func (h *Home) stopLooking() {
	if h.look.Session != nil {
		h.look.Close()
		h.look = Face{}
	}
}
