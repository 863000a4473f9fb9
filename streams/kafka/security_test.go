package kafka_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"livehost/streams/event"
	"livehost/streams/kafka"
	"livehost/streams/topic"
)

// certificate is one for 127.0.0.1, signed by itself, and its PEM file.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}

func TestSASLAndTLS(t *testing.T) {
	t.Parallel()
	cert, ca := certificate(t)
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser(mechanism, "livehost", "secret"),
				kfake.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cluster.Close)
			cfg := testConfig(cluster.ListenAddrs())
			cfg.TLS = kafka.TLS{Enabled: true, CA: ca}
			cfg.SASL = kafka.SASL{Mechanism: mechanism, Username: "livehost", Password: "secret"}
			if _, err := kafka.Provision(t.Context(), cfg, topic.All(topic.DefaultPartitions)); err != nil {
				t.Fatal(err)
			}
			pub, err := kafka.NewPublisher(cfg, testLog(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(pub.Close)
			if err := pub.Publish(t.Context(), event.Danmaku{Schema: 1, DanmakuID: "d", RoomID: "r", PlatformTimeMs: 1}); err != nil {
				t.Error(err)
			}
			wrong := cfg
			wrong.SASL.Password = "guessed"
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if _, err := kafka.Brokers(ctx, wrong); err == nil {
				t.Error("a wrong password is let in")
			}
		})
	}
}

func TestSecurityProblems(t *testing.T) {
	t.Parallel()
	base := testConfig([]string{"127.0.0.1:1"})
	for _, tt := range []struct {
		name   string
		change func(*kafka.Config)
		want   string
	}{
		{"unknown mechanism", func(c *kafka.Config) { c.SASL = kafka.SASL{Mechanism: "GSSAPI", Username: "u", Password: "p"} }, "GSSAPI"},
		{"no password", func(c *kafka.Config) { c.SASL = kafka.SASL{Mechanism: "PLAIN", Username: "u"} }, "password"},
		{"user without mechanism", func(c *kafka.Config) { c.SASL = kafka.SASL{Username: "u"} }, "no mechanism"},
		{"certificate without key", func(c *kafka.Config) { c.TLS = kafka.TLS{Enabled: true, Cert: "x"} }, "together"},
		{"configured, not enabled", func(c *kafka.Config) { c.TLS = kafka.TLS{CA: "x"} }, "not enabled"},
	} {
		cfg := base
		tt.change(&cfg)
		err := cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\"p\"") {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
	cfg := base
	cfg.TLS = kafka.TLS{Enabled: true, CA: filepath.Join(t.TempDir(), "missing.pem")}
	if _, err := kafka.NewPublisher(cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "missing.pem") {
		t.Errorf("%v does not name the missing file", err)
	}
}
