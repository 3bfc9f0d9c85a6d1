package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Browsers send a cookie to every port of its host. At 127.0.0.1 other users may have
// servers. So the browser moves to NAME.localhost, if the pages answer there. Only
// the user knows NAME:
//
//	127.0.0.1/?token=T          → /welcome, with a ticket in a cookie of that path
//	127.0.0.1/welcome           a script asks for NAME.localhost/welcome/here
//	NAME.localhost/?ticket=…    it answers: the cookie of its host, → /welcome/in
//	127.0.0.1/welcome/stay      it doesn't, or there is no script: that of this one, → /
//
// A ticket is good once, and for a minute. Addresses with a secret are answered with
// a redirect, so that no history, bookmark or shared address has it.
const (
	welcomePath = "/welcome"
	stayPath    = welcomePath + "/stay"
	inPath      = welcomePath + "/in"
	herePath    = welcomePath + "/here"
)

// lasts is how long a ticket is good.
const lasts = time.Minute

// tickets are those that were given and not used, by their hashes.
type tickets struct {
	mark  string // of this process: what answers at NAME.localhost says it
	mutex sync.Mutex
	until map[[sha256.Size]byte]time.Time
}

// give makes a ticket.
func (t *tickets) give() string {
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
	t.until[sha256.Sum256([]byte(ticket))] = time.Now().Add(lasts)
	return ticket
}

// good tells a ticket that wasn't used; take uses it, too.
func (t *tickets) good(ticket string, take bool) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	hash := sha256.Sum256([]byte(ticket))
	until, ok := t.until[hash]
	if take {
		delete(t.until, hash)
	}
	return ok && time.Now().Before(until)
}

// entered answers the addresses by which a browser comes in.
func (d *door) entered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.URL.Query()
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			next.ServeHTTP(w, r)
		case r.URL.Path == "/" && given.Has("token"):
			d.withToken(w, r, given["token"])
		case r.URL.Path == "/" && given.Has("ticket"):
			d.withTicket(w, r, given["ticket"])
		case r.URL.Path == welcomePath:
			d.welcome(w, r)
		case r.URL.Path == stayPath:
			d.stay(w, r)
		case r.URL.Path == inPath:
			d.leadOn(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// withToken takes who comes with the token to the welcome, or gives the cookie where
// there is no other name, or no browser that could be moved.
func (d *door) withToken(w http.ResponseWriter, r *http.Request, given []string) {
	if len(given) != 1 || !same(given[0], d.token) {
		d.frame.refuse(w, r, http.StatusForbidden, "That token is not this server's: each start makes a new one. Open the address that the newest hindsql web wrote.")
		return
	}
	if d.there != "" && !d.atName(r) && isNavigation(r) {
		d.setTicket(w, d.tickets.give(), int(lasts/time.Second))
		http.Redirect(w, r, welcomePath, http.StatusSeeOther)
		return
	}
	d.letIn(w)
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		d.leadOn(w, r)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// leadOn is a page that goes on to the first one. Where a page of another site led
// here, or a file, browsers would not send the cookie along with a redirect.
func (d *door) leadOn(w http.ResponseWriter, r *http.Request) {
	d.frame.write(w, r, layout{view: &view{Title: "Welcome", Template: "enter"}})
}

// setTicket has the browser keep a ticket so many seconds, for the welcome's path
// only. The mode Lax has it sent after a page or a file led here, too.
func (d *door) setTicket(w http.ResponseWriter, ticket string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: d.cookie + "_ticket", Value: ticket, Path: welcomePath, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

// ticket is a good ticket of the browser's cookies; empty for none.
func (d *door) ticket(r *http.Request, take bool) string {
	for _, c := range r.CookiesNamed(d.cookie + "_ticket") {
		if d.tickets.good(c.Value, take) {
			return c.Value
		}
	}
	return ""
}

// welcome is the page whose script looks for the other name. Its policy lets it ask
// there.
func (d *door) welcome(w http.ResponseWriter, r *http.Request) {
	ticket := d.ticket(r, false)
	if ticket == "" || d.there == "" || d.atName(r) {
		d.stay(w, r)
		return
	}
	data := struct{ There, Ticket, Mark, Stay, Script string }{"http://" + d.there, ticket, d.tickets.mark, stayPath, staticPath() + "/welcome.js"}
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, "connect-src 'self'", "connect-src 'self' "+data.There, 1))
	d.frame.write(w, r, layout{view: &view{Title: "Welcome", Template: "welcome", Data: data}})
}

// stay gives the cookie of the host that was asked for, in return for the ticket.
func (d *door) stay(w http.ResponseWriter, r *http.Request) {
	switch {
	case d.ticket(r, true) != "":
		d.letIn(w)
		d.setTicket(w, "", -1)
	case !d.known(r):
		d.frame.refuse(w, r, http.StatusUnauthorized, usedUp)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// usedUp is what is said to a ticket that isn't good.
const usedUp = "That way in was used, or is too old. Open the address that hindsql web wrote in the terminal again."

// withTicket gives the cookie of the other name.
func (d *door) withTicket(w http.ResponseWriter, r *http.Request, given []string) {
	if len(given) != 1 || !d.atName(r) || r.Method != http.MethodGet || !d.tickets.good(given[0], true) {
		d.frame.refuse(w, r, http.StatusForbidden, usedUp)
		return
	}
	d.letIn(w)
	http.Redirect(w, r, inPath, http.StatusSeeOther)
}

// atName tells a request for NAME.localhost.
func (d *door) atName(r *http.Request) bool {
	return d.there != "" && strings.EqualFold(r.Host, d.there)
}

// probed tells the welcome's script that this server answers at the other name, too.
// The script is one of another site there; the Origin was looked at before.
func (d *door) probed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != herePath || r.Method != http.MethodGet || !d.atName(r) {
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
