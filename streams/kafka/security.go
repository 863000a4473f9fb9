package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"livehost/internal/config"
)

// TLS is how connections to brokers are encrypted.
type TLS struct {
	Enabled bool   `yaml:"enabled"`
	CA      string `yaml:"ca"`          // PEM file of who signs the brokers' certificates; empty: the system's
	Cert    string `yaml:"cert"`        // PEM file of our own certificate, for brokers that ask
	Key     string `yaml:"key"`         // PEM file of its key
	Server  string `yaml:"server_name"` // the name in the brokers' certificates; empty: the host dialled
}

// SASL is who we are to the brokers.
type SASL struct {
	Mechanism string        `yaml:"mechanism"` // PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; empty: none
	Username  string        `yaml:"username"`
	Password  config.Secret `yaml:"password"`
}

// mechanisms makes each mechanism for a user.
var mechanisms = map[string]func(user, password string) sasl.Mechanism{
	"PLAIN":         func(u, p string) sasl.Mechanism { return plain.Auth{User: u, Pass: p}.AsMechanism() },
	"SCRAM-SHA-256": func(u, p string) sasl.Mechanism { return scram.Auth{User: u, Pass: p}.AsSha256Mechanism() },
	"SCRAM-SHA-512": func(u, p string) sasl.Mechanism { return scram.Auth{User: u, Pass: p}.AsSha512Mechanism() },
}

func (t TLS) validate() error {
	switch {
	case (t.Cert == "") != (t.Key == ""):
		return errors.New("tls: cert and key are needed together")
	case !t.Enabled && t != (TLS{}):
		return errors.New("tls: is configured, but not enabled")
	default:
		return nil
	}
}

func (s SASL) validate() error {
	if s.Mechanism == "" {
		if s != (SASL{}) {
			return errors.New("sasl: a user, but no mechanism; name PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
		}
		return nil
	}
	var errs []error
	if mechanisms[s.Mechanism] == nil {
		errs = append(errs, fmt.Errorf("sasl: mechanism %q is none of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", s.Mechanism))
	}
	if s.Username == "" || s.Password == "" {
		errs = append(errs, errors.New("sasl: username and password are needed"))
	}
	return errors.Join(errs...)
}

// security are the client's options for both.
func (c Config) security() ([]kgo.Opt, error) {
	var opts []kgo.Opt
	if c.TLS.Enabled {
		settings, err := c.TLS.settings()
		if err != nil {
			return nil, fmt.Errorf("kafka: tls: %w", err)
		}
		opts = append(opts, kgo.DialTLSConfig(settings))
	}
	if c.SASL.Mechanism != "" {
		opts = append(opts, kgo.SASL(mechanisms[c.SASL.Mechanism](c.SASL.Username, string(c.SASL.Password))))
	}
	return opts, nil
}

func (t TLS) settings() (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.Server}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, err
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}
