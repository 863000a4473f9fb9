package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// pin is the one build of the engine that this binary works with, as published
// on npm: the archive's integrity as npm states it, and the library inside.
type pin struct {
	Package   string
	Version   string
	Integrity string // base64 SHA-512 of the archive
	Member    string // the library's name in the archive
	SHA512    string // hex SHA-512 of the library
}

// pins has a row for every supported platform (GOOS/GOARCH).
var pins = map[string]pin{
	"linux/amd64": {
		Package:   "@chdb/lib-linux-x64-gnu",
		Version:   "26.7.3-stable.1",
		Integrity: "XP97mMqnc5tZpKQywR8N7cLTsHNiTmHr30pC5mzo3jWmukjKn2IBa60c2B/gWUNcuFjOMjWoorQICCqBVj5wpw==",
		Member:    "package/libchdb.so",
		SHA512:    "0a5e6af5cf57034116d34a39480989a160dd105f372d85aa748f8d2b0a5ebd52a90d913737d7ae86f6f597d37fe06d3a4d22125c13c5aa961d91aa93d034751e",
	},
}

// ErrUnsupported says that no build of the engine exists for this platform.
var ErrUnsupported = errors.New("the embedded ClickHouse engine has no build for this platform; point analytics at a ClickHouse server instead (analytics.dsn)")

// CacheDir is where the library is kept, outside any checkout.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("engine: no cache folder: %w; set XDG_CACHE_HOME", err)
	}
	return filepath.Join(base, "livehost", "engine"), nil
}

// Installed is the path of the library, or an error that says how to get it.
func Installed(cacheDir string) (string, error) {
	p, err := platform()
	if err != nil {
		return "", err
	}
	path := p.path(cacheDir)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("the embedded ClickHouse engine is not installed (%s): run `livehost engine install`, which fetches %s %s through npm (178 MB)", path, p.Package, p.Version)
	}
	return path, nil
}

func platform() (pin, error) { return platformOf(runtime.GOOS, runtime.GOARCH) }

func platformOf(os, arch string) (pin, error) {
	p, ok := pins[os+"/"+arch]
	if !ok {
		return pin{}, fmt.Errorf("%w (%s/%s)", ErrUnsupported, os, arch)
	}
	return p, nil
}

func (p pin) path(cacheDir string) string {
	return filepath.Join(cacheDir, p.Version, filepath.Base(p.Member))
}

// Install makes the library available in cacheDir and returns its path. It does
// nothing when it is there. A download that was cut off is resumed; archive and
// library are checked against the pinned checksums; progress goes to out. Several
// processes may install at once: one fetches, the others wait for it.
func Install(ctx context.Context, cacheDir string, out io.Writer) (string, error) {
	p, err := platform()
	if err != nil {
		return "", err
	}
	return (&installer{pin: p, resolve: tarballURL, client: http.DefaultClient}).Install(ctx, cacheDir, out)
}

// installer is Install with what it takes from outside.
type installer struct {
	pin     pin
	resolve func(context.Context, pin) (url string, err error)
	client  *http.Client
}

// Install is Install for the installer's pin.
func (in *installer) Install(ctx context.Context, cacheDir string, out io.Writer) (string, error) {
	path := in.pin.path(cacheDir)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("engine install: %w; set XDG_CACHE_HOME to a writable folder", err)
	}
	unlock, err := waitForLock(ctx, path+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(path); err == nil { // somebody else was faster
		return path, nil
	}
	archive := path + ".tgz"
	if _, err := os.Stat(archive); err != nil { // else it was fetched, and not unpacked any more
		url, err := in.resolve(ctx, in.pin)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(out, "fetching the ClickHouse engine: %s %s\n", in.pin.Package, in.pin.Version)
		if err := in.download(ctx, url, archive, out); err != nil {
			return "", fmt.Errorf("engine install: %w; run it again to resume", err)
		}
	}
	if err := in.pin.unpack(archive, path); err != nil {
		return "", err
	}
	fmt.Fprintf(out, "installed %s\n", path)
	return path, os.Remove(archive)
}

// waitForLock takes the file's lock, which ends with the process that has it.
func waitForLock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("engine install: %w; set XDG_CACHE_HOME to a writable folder", err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("engine install: lock %s: %w", path, closing(f, err))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("engine install: another process is installing: %w", closing(f, ctx.Err()))
		case <-tick.C:
		}
	}
}

// tarballURL asks npm, so that the user's own registry settings hold.
func tarballURL(ctx context.Context, p pin) (string, error) {
	cmd := exec.CommandContext(ctx, "npm", "view", p.Package+"@"+p.Version, "dist", "--json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("engine install: npm is not installed; it is needed once, to fetch the ClickHouse engine")
	}
	if err != nil {
		return "", fmt.Errorf("engine install: npm view %s@%s: %w: %s; is the npm registry reachable?", p.Package, p.Version, err, bytes.TrimSpace(stderr.Bytes()))
	}
	var dist struct{ Tarball, Integrity string }
	if err := json.Unmarshal(b, &dist); err != nil || dist.Tarball == "" {
		return "", fmt.Errorf("engine install: npm did not say where %s@%s is", p.Package, p.Version)
	}
	if dist.Integrity != "sha512-"+p.Integrity {
		return "", fmt.Errorf("engine install: npm offers %s@%s with another checksum (%s) than the pinned one; not installed", p.Package, p.Version, dist.Integrity)
	}
	return dist.Tarball, nil
}

// download fetches url into path, going on after what path+".part" already holds.
func (in *installer) download(ctx context.Context, url, path string, out io.Writer) error {
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if have > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(have, 10)+"-")
	}
	res, err := in.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusPartialContent:
		if !strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			return errors.Join(fmt.Errorf("GET %s: asked for bytes from %d, got %q", url, have, res.Header.Get("Content-Range")), os.Remove(part))
		}
	case http.StatusRequestedRangeNotSatisfiable: // all of it is there
		return os.Rename(part, path)
	case http.StatusOK:
		have = 0
		if err := f.Truncate(0); err != nil {
			return err
		}
	default:
		return fmt.Errorf("GET %s: %s", url, res.Status)
	}
	p := &progress{out: out, done: have, total: have + max(res.ContentLength, 0)}
	if _, err := io.Copy(io.MultiWriter(f, p), res.Body); err != nil {
		return err
	}
	p.line()
	return os.Rename(part, path)
}

// progress prints one line every two seconds.
type progress struct {
	out         io.Writer
	done, total int64
	last        time.Time
}

func (p *progress) Write(b []byte) (int, error) {
	p.done += int64(len(b))
	if time.Since(p.last) > 2*time.Second {
		p.line()
	}
	return len(b), nil
}

func (p *progress) line() {
	p.last = time.Now()
	fmt.Fprintf(p.out, "  %d of %d MB\n", p.done>>20, p.total>>20)
}

// unpack checks the archive, takes the library out of it and checks that too. A
// damaged archive is removed, so that the next try starts anew.
func (p pin) unpack(archive, path string) error {
	want, err := base64.StdEncoding.DecodeString(p.Integrity)
	if err != nil {
		return fmt.Errorf("engine install: the pinned checksum: %w", err)
	}
	f, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("engine install: %w", err)
	}
	defer f.Close()
	sum := sha512.New()
	if err := p.extract(io.TeeReader(f, sum), path+".tmp"); err != nil {
		_ = os.Remove(path + ".tmp")
		return errors.Join(fmt.Errorf("engine install: %s is damaged: %w; removed, run it again", archive, err), os.Remove(archive))
	}
	if err := drain(f, sum); err != nil {
		return fmt.Errorf("engine install: %w", err)
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		_ = os.Remove(path + ".tmp")
		return errors.Join(fmt.Errorf("engine install: %s does not have the pinned checksum; removed, run it again", archive), os.Remove(archive))
	}
	return os.Rename(path+".tmp", path)
}

// drain feeds what the archive reader left over into the checksum.
func drain(f *os.File, sum hash.Hash) error {
	_, err := io.Copy(sum, f)
	return err
}

func (p pin) extract(r io.Reader, path string) error {
	gz, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	for t := tar.NewReader(gz); ; {
		h, err := t.Next()
		if err != nil {
			return fmt.Errorf("%s: %w", p.Member, err)
		}
		if h.Name == p.Member {
			return p.write(t, path)
		}
	}
}

func (p pin) write(r io.Reader, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	sum := sha512.New()
	if _, err := io.Copy(io.MultiWriter(f, sum), r); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != p.SHA512 {
		return errors.New("the library does not have the pinned checksum")
	}
	return nil
}
