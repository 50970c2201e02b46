package live

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
)

// policy lets a page load what this program serves, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard lets through who has the token.
type guard struct {
	token  string
	cookie string   // name: of this server alone, since a browser sends cookies to all ports of a host
	hosts  []string // names of this machine, besides localhost and numbers
}

// newGuard makes a token, and takes the names by which the server may be called.
func newGuard(hosts []string) *guard {
	g := &guard{token: rand.Text(), cookie: "convect_" + rand.Text()[:8], hosts: slices.Clone(hosts)}
	if name, err := os.Hostname(); err == nil {
		g.hosts = append(g.hosts, name)
	}
	return g
}

// wrap guards a handler.
func (g *guard) wrap(next http.Handler) http.Handler {
	inner := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.isOwn(r.Host):
			http.Error(w, "This server does not answer to the name "+r.Host+". Behind a proxy of that name, start it with --live-host.", http.StatusMisdirectedRequest)
		case !g.knows(w, r):
			h.Set("WWW-Authenticate", "Bearer")
			http.Error(w, "This page needs the whole address that convect printed, with its token: it is in live.json of the run directory too.", http.StatusUnauthorized)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// isOwn tells whether a Host is this machine's: a number cannot be bound to another machine's name, as a page of a stranger may do.
func (g *guard) isOwn(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	return host == "localhost" || net.ParseIP(host) != nil || slices.ContainsFunc(g.hosts, func(own string) bool { return strings.EqualFold(own, host) })
}

// knows tells whether a request has the token. One that has it in its address gets the cookie.
func (g *guard) knows(w http.ResponseWriter, r *http.Request) bool {
	same := func(token string) bool { return subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) == 1 }
	if r.Method == http.MethodGet && same(r.URL.Query().Get("token")) {
		// Without a path the cookie belongs to the folder of the page, whatever prefix a proxy has put before it.
		http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.token, HttpOnly: true, SameSite: http.SameSiteStrictMode})
		return true
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return same(bearer)
	}
	c, err := r.Cookie(g.cookie)
	return err == nil && same(c.Value)
}
