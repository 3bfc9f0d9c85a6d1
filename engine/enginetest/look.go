package enginetest

// looking is a session for questions, the same one until somebody opens the store
// in another way. To start a DuckDB costs as much as most questions do. No file is
// held between two of them.
func (h *Home) looking() Face {
	h.T.Helper()
	if h.look.Session == nil {
		h.look = Open(h.T, h.config())
	}
	return h.look
}

// stopLooking ends that session.
func (h *Home) stopLooking() {
	if h.look.Session != nil {
		h.look.Close()
		h.look = Face{}
	}
}
