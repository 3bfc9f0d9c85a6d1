package mcp

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// withToken passes on requests that carry the token (RFC 6750). The time of a refusal
// doesn't reveal how much of a wrong token was right.
func withToken(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Values("Authorization")
		challenge := `Bearer realm="hindsql"`
		if len(given) == 1 {
			scheme, text, _ := strings.Cut(given[0], " ")
			got := sha256.Sum256([]byte(strings.TrimSpace(text)))
			if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
				next.ServeHTTP(w, r)
				return
			}
			challenge += `, error="invalid_token"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
		http.Error(w, "send the token as Authorization: Bearer TOKEN; where it is was said when the server was started", http.StatusUnauthorized)
	})
}
