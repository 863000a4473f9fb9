package web

import (
	"embed"
	"io/fs"
	"net"
	"net/http"
)

//go:embed static
var staticFiles embed.FS

// policy lets a page load our own files and nothing else; no inline script or
// style is needed anywhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler is the whole console.
func (s *Server) Handler() http.Handler {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err) //nolint:forbidigo // the name is a constant of ours
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.live)
	mux.HandleFunc("GET /live/stream", s.stream)
	mux.HandleFunc("GET /find", s.find)
	mux.HandleFunc("GET /danmaku", s.danmaku)
	mux.HandleFunc("GET /run", s.run)
	mux.HandleFunc("GET /outcomes", s.outcomes)
	mux.HandleFunc("GET /outcomes/data", s.outcomesData)
	mux.HandleFunc("GET /incidents", s.incidents)
	mux.HandleFunc("GET /experiments", s.experiments)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.sayMissing(w, "There is no page here.", "The menu above leads to those there are.")
	})
	mux.Handle("GET /static/", http.StripPrefix("/static/", cached(http.FileServerFS(files))))
	return guarded(mux)
}

func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}

// guarded sets the headers of every answer and turns away requests under another
// name: a page elsewhere could otherwise read the console by pointing its own
// name at this machine.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !loopback(host) {
			http.Error(w, "the console answers only to 127.0.0.1, [::1] and localhost", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
