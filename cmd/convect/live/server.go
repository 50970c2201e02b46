package live

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"convect/io/whole"
)

// FileName is the file in a run directory that names the page of the run: readable for its owner alone, since it holds the token.
const FileName = "live.json"

// Auto is the address of a free port of this machine alone.
const Auto = "auto"

const unixPrefix = "unix:"

// Server serves a page at one address.
type Server struct {
	listener net.Listener
	guard    *guard
	http     *http.Server
	socket   string       // path of a Unix socket; "": a port
	viewed   atomic.Int32 // requests that are being answered
	closing  context.Context
	close    context.CancelFunc
	written  string // path of FileName, once written
}

// Listen takes an address: [Auto], a port or :port of this machine alone, HOST:PORT, or unix:PATH for a socket that its owner alone can open. hosts are
// names by which the server may be called besides those of this machine: a proxy's. Nothing is served before Serve.
func Listen(address string, hosts []string) (*Server, error) {
	s := &Server{guard: newGuard(hosts)}
	s.closing, s.close = context.WithCancel(context.Background())
	var err error
	if path, isSocket := strings.CutPrefix(address, unixPrefix); isSocket {
		s.socket, err = filepath.Abs(path)
		if err == nil {
			s.listener, err = listenSocket(s.socket)
		}
	} else {
		s.listener, err = net.Listen("tcp", portAddress(address))
	}
	if err != nil {
		return nil, fmt.Errorf("the page cannot listen at %s: %w; without an address it takes a free port", address, reason(err))
	}
	return s, nil
}

// reason returns what the system says of a failed listening.
func reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// portAddress completes an address with the loopback interface.
func portAddress(address string) string {
	switch {
	case address == Auto || address == "":
		return "127.0.0.1:0"
	case !strings.Contains(address, ":"):
		return "127.0.0.1:" + address
	case strings.HasPrefix(address, ":"):
		return "127.0.0.1" + address
	}
	return address
}

// listenSocket makes a socket of mode 0600: in a folder that is closed to others, from which it is moved to its place. One that a killed process has
// left there is removed.
func listenSocket(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("there is a file that is no socket")
		}
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			c.Close()
			return nil, errors.New("another process listens there")
		}
		os.Remove(path)
	}
	closed, err := os.MkdirTemp(filepath.Dir(path), ".live")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(closed)
	l, err := net.Listen("unix", filepath.Join(closed, "s"))
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err = os.Chmod(filepath.Join(closed, "s"), 0o600); err == nil {
		err = os.Rename(filepath.Join(closed, "s"), path)
	}
	if err != nil {
		l.Close()
	}
	return l, err
}

// URL returns the address of the page, with the token.
func (s *Server) URL() string {
	host := "localhost:8080"
	if s.socket == "" {
		host = s.reached()
	}
	return "http://" + host + "/?token=" + s.guard.token
}

// reached returns the host and port to call: this machine's name where the server listens at all its addresses.
func (s *Server) reached() string {
	a := s.listener.Addr().(*net.TCPAddr)
	if a.IP.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			return fmt.Sprintf("%s:%d", name, a.Port)
		}
	}
	return a.String()
}

// IsOpen tells whether other machines can reach the server: what it sends them is not encrypted.
func (s *Server) IsOpen() bool {
	a, isPort := s.listener.Addr().(*net.TCPAddr)
	return isPort && !a.IP.IsLoopback()
}

// SSH returns the command that brings the page to another machine, on which URL is then right too.
func (s *Server) SSH() string {
	host, err := os.Hostname()
	if err != nil {
		host = "HOST"
	}
	if s.socket != "" {
		return fmt.Sprintf("ssh -N -L 8080:%s %s", quoted(s.socket), host)
	}
	a := s.listener.Addr().(*net.TCPAddr)
	return fmt.Sprintf("ssh -N -L %d:%s %s", a.Port, a, host)
}

// quoted writes a path for a shell.
func quoted(path string) string {
	plain := func(r rune) bool { return r > ' ' && r <= '~' && !strings.ContainsRune("\"'`\\$&|;<>()[]{}*?!#~", r) }
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Contact is what FileName holds.
type Contact struct {
	URL     string    `json:"url"`
	Token   string    `json:"token"`
	SSH     string    `json:"ssh"`
	Socket  string    `json:"socket,omitempty"`
	Host    string    `json:"host"`
	Process int       `json:"process"`
	Started time.Time `json:"started"`
}

// WriteFile writes FileName into a run directory; Close removes it.
func (s *Server) WriteFile(dir string) error {
	host, _ := os.Hostname()
	text, err := json.MarshalIndent(Contact{s.URL(), s.guard.token, s.SSH(), s.socket, host, os.Getpid(), time.Now().UTC().Truncate(time.Second)}, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, FileName)
	temporary := path + whole.TemporarySuffix
	os.Remove(temporary)
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err == nil {
		s.written = path
	}
	return err
}

// ReadFile returns the contact of a run directory, false where there is none.
func ReadFile(dir string) (c Contact, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	return c, err == nil && json.Unmarshal(text, &c) == nil && strings.HasPrefix(c.URL, "http://")
}

// Forget removes what a server that was killed has left in a run directory.
func Forget(dir string) error {
	for _, name := range []string{FileName, FileName + whole.TemporarySuffix} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Page answers the requests of one kind of page, and ends its streams when done is closed.
type Page interface {
	Handler(done <-chan struct{}) http.Handler
}

// Serve answers requests, guarded, until Close.
func (s *Server) Serve(p Page) {
	s.http = &http.Server{Handler: s.count(s.guard.wrap(p.Handler(s.closing.Done()))), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(io.Discard, "", 0)}
	go s.http.Serve(s.listener) // ends with the listener
}

// longest is how long who has asked may take to read an answer; streams set their own limit.
const longest = 10 * time.Minute

// count counts the requests that are being answered.
func (s *Server) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.viewed.Add(1)
		defer s.viewed.Add(-1)
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longest)) // fails where there is no connection to wait for
		next.ServeHTTP(w, r)
	})
}

// parting is how long viewers have to ask for what they were told of last.
const parting = 500 * time.Millisecond

// Close tells the viewers that it is over, stops listening and removes what was written.
func (s *Server) Close() {
	viewed := s.viewed.Load() > 0
	s.close()
	if viewed {
		time.Sleep(parting)
	}
	if s.http != nil {
		soon, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if s.http.Shutdown(soon) != nil {
			s.http.Close()
		}
	}
	s.listener.Close()
	for _, path := range []string{s.socket, s.written} {
		if path != "" {
			os.Remove(path)
		}
	}
}

//go:embed page
var files embed.FS

// serveFile answers with a part of the page.
func serveFile(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := files.ReadFile("page/" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Write(text)
	}
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}
