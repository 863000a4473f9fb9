package engine_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"livehost/internal/embedded/engine"
)

// published is an archive on a server that may cut it off.
type published struct {
	archive   []byte
	integrity string
	library   string // hex
	server    *httptest.Server

	mu     sync.Mutex
	cutAt  int // bytes of the next answer; 0: all
	ranges []string
}

func publish(t *testing.T) *published {
	t.Helper()
	lib := bytes.Repeat([]byte("not really a library\x00\x01"), 20_000)
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	tw := tar.NewWriter(gz)
	for name, body := range map[string][]byte{"package/package.json": []byte("{}"), "package/lib.so": lib} {
		if err := tw.WriteHeader(&tar.Header{Name: name, Size: int64(len(body)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tw.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	sum, libSum := sha512.Sum512(b.Bytes()), sha512.Sum512(lib)
	p := &published{archive: b.Bytes(), integrity: base64.StdEncoding.EncodeToString(sum[:]), library: hex.EncodeToString(libSum[:])}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.server.Close)
	return p
}

func (p *published) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	cut := p.cutAt
	p.cutAt = 0
	p.ranges = append(p.ranges, r.Header.Get("Range"))
	p.mu.Unlock()
	if cut == 0 {
		http.ServeContent(w, r, "lib.tgz", time.Time{}, bytes.NewReader(p.archive))
		return
	}
	w.Header().Set("Content-Length", "1000000") // the connection ends before
	_, _ = w.Write(p.archive[:cut])
}

func (p *published) installer(version string) *engine.Installer {
	return engine.NewInstaller(version, p.integrity, p.library, func(context.Context) (string, error) { return p.server.URL, nil }, p.server.Client())
}

func TestInstallResumesAndShowsProgress(t *testing.T) {
	t.Parallel()
	p, dir := publish(t), t.TempDir()
	half := len(p.archive) / 2
	p.cutAt = half
	var out bytes.Buffer
	_, err := p.installer("1").Install(t.Context(), dir, &out)
	if err == nil || !strings.Contains(err.Error(), "run it again to resume") {
		t.Fatalf("a download that was cut off: %v", err)
	}
	path, err := p.installer("1").Install(t.Context(), dir, &out)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"", "bytes=" + strconv.Itoa(half) + "-"}; !slices.Equal(p.ranges, want) {
		t.Errorf("asked for %q, want %q", p.ranges, want)
	}
	if !strings.Contains(out.String(), " MB") || !strings.Contains(out.String(), "installed "+path) {
		t.Errorf("no progress:\n%s", out.String())
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(left) != 2 { // the library and its lock
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := p.installer("1").Install(t.Context(), dir, &out); err != nil || len(p.ranges) != 2 {
		t.Errorf("installed again: %v, %d requests", err, len(p.ranges))
	}
}

func TestInstallRefusesADamagedArchive(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*published){
		"other bytes":       func(p *published) { p.archive[len(p.archive)-5] ^= 0xff },
		"not an archive":    func(p *published) { p.archive = []byte("<html>proxy login</html>") },
		"too short":         func(p *published) { p.archive = p.archive[:len(p.archive)/2] },
		"other library sum": func(p *published) { p.library = strings.Repeat("0", 128) },
		"other archive sum": func(p *published) { p.integrity = base64.StdEncoding.EncodeToString(make([]byte, 64)) },
	} {
		p, dir := publish(t), t.TempDir()
		good, sums := bytes.Clone(p.archive), [2]string{p.integrity, p.library}
		damage(p)
		if _, err := p.installer("1").Install(t.Context(), dir, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "run it again") {
			t.Errorf("%s: %v", name, err)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "1", "*")); len(files) != 1 {
			t.Errorf("%s: left behind: %v", name, files)
		}
		p.archive, p.integrity, p.library = good, sums[0], sums[1]
		if _, err := p.installer("1").Install(t.Context(), dir, &bytes.Buffer{}); err != nil {
			t.Errorf("%s: the next try: %v", name, err)
		}
	}
}

func TestInstallsAtTheSameTimeFetchOnce(t *testing.T) {
	t.Parallel()
	p, dir := publish(t), t.TempDir()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if _, err := p.installer("1").Install(t.Context(), dir, &bytes.Buffer{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(p.ranges) != 1 {
		t.Errorf("%d downloads, want 1", len(p.ranges))
	}
}

func TestInstallSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := publish(t)
	p.server.Close()
	if _, err := p.installer("1").Install(t.Context(), t.TempDir(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "engine install") {
		t.Errorf("nobody serves it: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.installer("1").Install(t.Context(), file, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "XDG_CACHE_HOME") {
		t.Errorf("unwritable cache: %v", err)
	}
	if err := engine.Platform("linux", "amd64"); err != nil {
		t.Error(err)
	}
	for _, other := range [][2]string{{"darwin", "arm64"}, {"windows", "amd64"}, {"linux", "riscv64"}} {
		err := engine.Platform(other[0], other[1])
		if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), other[0]+"/"+other[1]) || !strings.Contains(err.Error(), "analytics.dsn") {
			t.Errorf("%v: %v", other, err)
		}
	}
	if _, err := engine.Installed(t.TempDir()); err == nil || !strings.Contains(err.Error(), "livehost engine install") {
		t.Errorf("not installed: %v", err)
	}
}
