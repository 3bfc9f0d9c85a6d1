package sqlite

import "math/bits"

// If a read takes longer than the agent's pause between two checkpoints, every try
// would be spoiled. So after a spoiled read, the next try first copies the pages of the
// spoiled read into memory, all at once, and then checks that none changed. That takes
// almost no time. The pages in memory come from one state, whatever the agent does
// meanwhile. Only a page that the first read didn't need comes from the disk later.

// mostPreloaded is the most bytes of a database held in memory.
const mostPreloaded = 64 << 20

// preloadTries is how many times openPreloaded tries to preload the pages.
const preloadTries = 30

// openPreloaded opens a state. asked names the pages that a spoiled read used:
// openPreloaded first reads them into memory. asked is nil at the first try.
func openPreloaded(p *opener, asked *pages) (*snapshot, error) {
	for range preloadTries {
		s, err := open(p, asked != nil)
		if asked == nil || err != nil {
			return s, err
		}
		held, err := s.preload(p, asked)
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

// preload reads the pages in asked into memory. It returns false if the agent wrote
// meanwhile. The caller must be the only user of the snapshot.
func (s *snapshot) preload(p *opener, asked *pages) (bool, error) {
	if int64(asked.count) > mostPreloaded/s.pageSize {
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
	stood, err := s.isConsistent(p)
	if stood && err == nil {
		s.preloaded, s.read, s.inPlace = held, pages{}, pages{}
	}
	return stood, err
}

// pages is a set of page numbers.
type pages struct {
	chunks map[uint32]*[64]uint64 // bits of 4096 pages each
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

// all visits the pages in no particular order.
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
