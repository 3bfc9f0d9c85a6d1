package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Browsers send a cookie to all ports of a host, and other users may have servers at
// 127.0.0.1. If the pages answer at NAME.localhost, the browser moves to that name.
// Only the user knows NAME:
//
//	127.0.0.1/?token=T          → /welcome, with a ticket in a cookie of that path
//	127.0.0.1/welcome           a script asks for NAME.localhost/welcome/here
//	NAME.localhost/?ticket=…    after an answer: sets the host's cookie, → /welcome/in
//	127.0.0.1/welcome/stay      without answer or script: sets this host's cookie, → /
//
// A ticket is valid once, and for a minute. The server answers an address that contains
// a secret with a redirect, to keep the secret out of history, bookmarks and shared
// addresses.
const (
	welcomePath = "/welcome"
	stayPath    = welcomePath + "/stay"
	inPath      = welcomePath + "/in"
	herePath    = welcomePath + "/here"
)

// ticketLife is how long a ticket is valid.
const ticketLife = time.Minute

// tickets holds the unused tickets: the hash of each, with the time of its end.
type tickets struct {
	mark  string // identifies this process in the answer at NAME.localhost
	mutex sync.Mutex
	until map[[sha256.Size]byte]time.Time
}

// issue makes a ticket.
func (t *tickets) issue() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.until == nil {
		t.until = map[[sha256.Size]byte]time.Time{}
	}
	for hash, until := range t.until {
		if time.Now().After(until) {
			delete(t.until, hash)
		}
	}
	ticket := rand.Text()
	t.until[sha256.Sum256([]byte(ticket))] = time.Now().Add(ticketLife)
	return ticket
}

// check reports whether a ticket is unused and not too old. If take is true, check also
// uses the ticket up.
func (t *tickets) check(ticket string, take bool) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	hash := sha256.Sum256([]byte(ticket))
	until, ok := t.until[hash]
	if take {
		delete(t.until, hash)
	}
	return ok && time.Now().Before(until)
}

// handleEntry answers the addresses through which a browser enters.
func (d *gate) handleEntry(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.URL.Query()
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			next.ServeHTTP(w, r)
		case r.URL.Path == "/" && given.Has("token"):
			d.handleToken(w, r, given["token"])
		case r.URL.Path == "/" && given.Has("ticket"):
			d.handleTicket(w, r, given["ticket"])
		case r.URL.Path == welcomePath:
			d.welcome(w, r)
		case r.URL.Path == stayPath:
			d.enterThisHost(w, r)
		case r.URL.Path == inPath:
			d.sendEntryPage(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// handleToken redirects a browser with the token to the welcome page. If the server has
// no name, the request already uses the name, or the client is no browser window,
// handleToken instead sets the cookie at once.
func (d *gate) handleToken(w http.ResponseWriter, r *http.Request, given []string) {
	if len(given) != 1 || !equalSecrets(given[0], d.token) {
		d.frame.refuse(w, r, http.StatusForbidden, "That token is not this server's: each start makes a new one. Open the address that the newest hindsql web wrote.")
		return
	}
	if d.there != "" && !d.isForName(r) && isNavigation(r) {
		d.setTicket(w, d.tickets.issue(), int(ticketLife/time.Second))
		http.Redirect(w, r, welcomePath, http.StatusSeeOther)
		return
	}
	d.setCookie(w)
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		d.sendEntryPage(w, r)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// sendEntryPage sends a page that loads the first page by itself. A redirect would not do
// after a link on another site or in a file: the browser would not send the cookie
// along.
func (d *gate) sendEntryPage(w http.ResponseWriter, r *http.Request) {
	d.frame.write(w, r, layout{view: &view{Title: "Welcome", Template: "enter"}})
}

// setTicket stores a ticket as a cookie for some seconds, only for the path of the
// welcome page. With the mode Lax, the browser sends the cookie even if another site's
// page or a file led here.
func (d *gate) setTicket(w http.ResponseWriter, ticket string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: d.cookie + "_ticket", Value: ticket, Path: welcomePath, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

// ticket returns a valid ticket from the browser's cookies, or "". If take is true, the
// ticket is then used up.
func (d *gate) ticket(r *http.Request, take bool) string {
	for _, c := range r.CookiesNamed(d.cookie + "_ticket") {
		if d.tickets.check(c.Value, take) {
			return c.Value
		}
	}
	return ""
}

// welcome sends the page with a script that looks for the server at NAME.localhost. The
// page's policy allows that request.
func (d *gate) welcome(w http.ResponseWriter, r *http.Request) {
	ticket := d.ticket(r, false)
	if ticket == "" || d.there == "" || d.isForName(r) {
		d.enterThisHost(w, r)
		return
	}
	data := struct{ There, Ticket, Mark, Stay, Script string }{"http://" + d.there, ticket, d.tickets.mark, stayPath, staticPath() + "/welcome.js"}
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, "connect-src 'self'", "connect-src 'self' "+data.There, 1))
	d.frame.write(w, r, layout{view: &view{Title: "Welcome", Template: "welcome", Data: data}})
}

// enterThisHost exchanges the ticket for the cookie of the requested host, and
// redirects to the first page. A browser that already has the cookie needs no ticket.
func (d *gate) enterThisHost(w http.ResponseWriter, r *http.Request) {
	switch {
	case d.ticket(r, true) != "":
		d.setCookie(w)
		d.setTicket(w, "", -1)
	case !d.hasCookie(r):
		d.frame.refuse(w, r, http.StatusUnauthorized, usedUp)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// usedUp is the message for a bad ticket.
const usedUp = "That way in was used, or is too old. Open the address that hindsql web wrote in the terminal again."

// handleTicket sets the cookie of NAME.localhost for a browser with a valid ticket in the
// URL.
func (d *gate) handleTicket(w http.ResponseWriter, r *http.Request, given []string) {
	if len(given) != 1 || !d.isForName(r) || r.Method != http.MethodGet || !d.tickets.check(given[0], true) {
		d.frame.refuse(w, r, http.StatusForbidden, usedUp)
		return
	}
	d.setCookie(w)
	http.Redirect(w, r, inPath, http.StatusSeeOther)
}

// isForName reports whether a request is for NAME.localhost.
func (d *gate) isForName(r *http.Request) bool {
	return d.there != "" && strings.EqualFold(r.Host, d.there)
}

// handleProbe answers the welcome page's script at NAME.localhost with this process's mark.
// The mark tells the script that this server answers at NAME.localhost. The script is
// from another site, so the answer must allow its Origin. An earlier handler has
// checked the Origin.
func (d *gate) handleProbe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != herePath || r.Method != http.MethodGet || !d.isForName(r) {
			next.ServeHTTP(w, r)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			w.Header().Set("Access-Control-Allow-Origin", origin)
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(d.tickets.mark))
	})
}
