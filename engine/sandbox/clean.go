package sandbox

import (
	"crypto/sha256"
	"sync"
)

// Clean has the hashes of texts without secrets. A copying that begins again reads these
// texts, but doesn't redact them again.
type Clean struct{ hashes sync.Map }

type cleanText struct {
	hash   [sha256.Size]byte // by which no text with a secret passes for another
	isJSON bool
}

// shortText is the length in bytes up to which a text isn't worth its hash.
const shortText = 500

// Redacting returns redact, but for texts that are known to be without secrets.
func (c *Clean) Redacting(redact func(text string, isJSON bool) string) func(text string, isJSON bool) string {
	return func(text string, isJSON bool) string {
		if len(text) <= shortText {
			return redact(text, isJSON)
		}
		key := cleanText{sha256.Sum256([]byte(text)), isJSON}
		if _, known := c.hashes.Load(key); known {
			return text
		}
		redacted := redact(text, isJSON)
		if redacted == text {
			c.hashes.Store(key, nil)
		}
		return redacted
	}
}

// Forget forgets all texts.
func (c *Clean) Forget() { c.hashes.Clear() }
