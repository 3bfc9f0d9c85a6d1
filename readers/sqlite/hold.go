package sqlite

import "math/bits"

// A read that takes longer than the agent needs for its next checkpoint would be
// spoiled time and again. So the pages that a spoiled read had asked for are put
// into memory first, all at once, and looked after: that takes no time to speak
// of. What is read then is of one state, whatever the agent does meanwhile, but
// for pages that the first read had no need of.

// mostHeld is how much of a database is held in memory, in bytes.
const mostHeld = 64 << 20

// holds is how often they are tried to be.
const holds = 30

// openAgain opens a state of which the pages that were asked for before are in
// memory; nil for none, the first time.
func openAgain(p *place, asked *pages) (*snapshot, error) {
	for range holds {
		s, err := open(p, asked != nil)
		if asked == nil || err != nil {
			return s, err
		}
		held, err := s.hold(p, asked)
		if held && err == nil {
			return s, nil
		}
		s.release()
		if err != nil {
			return nil, err
		}
	}
	return nil, ErrWritten
}

// hold puts pages into memory; false where the agent got in between. Nobody else
// may have the state.
func (s *snapshot) hold(p *place, asked *pages) (bool, error) {
	if int64(asked.count) > mostHeld/s.pageSize {
		return true, nil
	}
	held := make(map[uint32][]byte, asked.count)
	for page := range asked.all {
		from := int64(page-1) * s.pageSize
		data := make([]byte, s.pageSize)
		if from >= s.size {
			continue
		}
		if _, err := s.readPage(data, from); err != nil {
			return false, err
		}
		held[page] = data
	}
	stood, err := s.stood(p)
	if stood && err == nil {
		s.held, s.read, s.inPlace = held, pages{}, pages{}
	}
	return stood, err
}

// pages is a set of page numbers.
type pages struct {
	chunks map[uint32]*[64]uint64 // of 4096 pages each
	last   uint32
	count  int
}

func (p *pages) add(page uint32) {
	c := p.chunks[page>>12]
	if c == nil {
		if p.chunks == nil {
			p.chunks = map[uint32]*[64]uint64{}
		}
		c = new([64]uint64)
		p.chunks[page>>12] = c
	}
	if bit := uint64(1) << (page & 63); c[page>>6&63]&bit == 0 {
		c[page>>6&63] |= bit
		p.count++
	}
	p.last = max(p.last, page)
}

func (p *pages) has(page uint32) bool {
	c := p.chunks[page>>12]
	return c != nil && c[page>>6&63]&(1<<(page&63)) != 0
}

// all visits the pages, in no order.
func (p *pages) all(visit func(page uint32) bool) {
	for chunk, words := range p.chunks {
		for i, word := range words {
			for ; word != 0; word &= word - 1 {
				if !visit(chunk<<12 | uint32(i<<6|bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
