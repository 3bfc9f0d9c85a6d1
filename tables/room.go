package tables

// Room makes many values of a type that all live as long as their log is read. It takes
// memory for up to 32 at a time: a log has thousands of messages and calls, and an
// allocation for each cost a twentieth of reading. The zero Room is ready.
type Room[T any] struct {
	free []T
	last int // size of the last piece of memory, in values
}

// New returns a zero value.
func (r *Room[T]) New() *T {
	if len(r.free) == 0 {
		r.last = min(2*r.last+2, 32)
		r.free = make([]T, r.last)
	}
	v := &r.free[0]
	r.free = r.free[1:]
	return v
}

// lines finds the message of each line's uuid. Most sessions never ask, so the map is
// made when one does.
type lines struct {
	list   []lineOfMessage // in the order of the log
	byUUID map[string]*message
	known  int // number of lines in byUUID
}

type lineOfMessage struct {
	uuid    string
	message *message
}

func (l *lines) add(uuid string, m *message) {
	if uuid != "" {
		l.list = append(l.list, lineOfMessage{uuid, m})
	}
}

// message returns the message of the last line so far with the uuid, or nil.
func (l *lines) message(uuid string) *message {
	if l.byUUID == nil {
		l.byUUID = make(map[string]*message, len(l.list))
	}
	for _, line := range l.list[l.known:] {
		l.byUUID[line.uuid] = line.message
	}
	l.known = len(l.list)
	return l.byUUID[uuid]
}
