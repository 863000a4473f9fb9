package services

import (
	"context"
	_ "embed" // the broker's pom and log settings
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"livehost/streams/kafka"
)

// KafkaVersion is the Apache Kafka that is run.
const KafkaVersion = "4.4.0"

// heap is enough for a broker of a test; three of them share two cores.
var heap = []string{"-Xms96m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true"}

//go:embed pom.xml
var pom []byte

//go:embed log4j2.properties
var log4j []byte

// fetchKafka has the broker's classes in the cache folder and returns the class
// path. Maven fetches them once.
func fetchKafka(ctx context.Context, cache string, out io.Writer) (string, error) {
	dir := filepath.Join(cache, "kafka-"+KafkaVersion)
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, "*"), nil
	}
	fmt.Fprintf(out, "fetching Apache Kafka %s with maven (45 MB, once)\n", KafkaVersion)
	tmp, err := os.MkdirTemp(mkdir(cache), "fetch-")
	if err != nil {
		return "", fmt.Errorf("kafka: %w", err)
	}
	defer os.RemoveAll(tmp)
	pomPath, libs := filepath.Join(tmp, "pom.xml"), filepath.Join(tmp, "libs")
	if err := os.WriteFile(pomPath, pom, 0o600); err != nil {
		return "", fmt.Errorf("kafka: %w", err)
	}
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", pomPath, "-Dkafka.version="+KafkaVersion,
		"dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory="+libs)
	if b, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("kafka: maven cannot fetch it: %w\n%s", err, b)
	}
	if err := os.Rename(libs, dir); err != nil {
		return "", fmt.Errorf("kafka: %w", err)
	}
	return filepath.Join(dir, "*"), nil
}

// mkdir makes the folder; a failure shows at its first use.
func mkdir(dir string) string {
	_ = os.MkdirAll(dir, 0o700)
	return dir
}

// kafkaProcesses are the brokers, each with formatted storage. Every one is a
// controller, too.
func (s *Set) kafkaProcesses(ctx context.Context, classPath string) error {
	var voters []string
	for i, b := range s.state.Kafka {
		voters = append(voters, fmt.Sprintf("%d@%s", i+1, b.Controller))
	}
	log := filepath.Join(s.dir, "log4j2.properties")
	if err := os.WriteFile(log, log4j, 0o600); err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	for i, b := range s.state.Kafka {
		name := fmt.Sprintf("kafka-%d", i+1)
		settings := filepath.Join(s.dir, name+".properties")
		if err := os.WriteFile(settings, []byte(s.brokerSettings(i+1, b, voters)), 0o600); err != nil {
			return fmt.Errorf("kafka: %w", err)
		}
		java := append([]string{"java"}, heap...)
		java = append(java, "-Dlog4j2.configurationFile="+log, "-cp", classPath)
		format := exec.CommandContext(ctx, java[0], append(java[1:], "kafka.tools.StorageTool",
			"format", "--ignore-formatted", "--cluster-id", "bGl2ZWhvc3Qtc2VydmljZQ", "--config", settings)...)
		if out, err := format.CombinedOutput(); err != nil {
			return fmt.Errorf("kafka: format storage: %w\n%s", err, out)
		}
		s.state.Processes = append(s.state.Processes, &process{Name: name, Argv: append(java, "kafka.Kafka", settings)})
	}
	return nil
}

// brokerSettings are what a broker is told. The session timeout's floor is
// Kafka's own; rebalances start at once, as tests join members one by one.
func (s *Set) brokerSettings(id int, b broker, voters []string) string {
	replicas := min(len(s.state.Kafka), 3)
	listeners := fmt.Sprintf("PLAINTEXT://%s,CONTROLLER://%s", b.Addr, b.Controller)
	advertised := "PLAINTEXT://" + b.Addr
	if b.Proxy != "" {
		listeners += ",PROXY://" + b.Behind
		advertised += ",PROXY://" + b.Proxy
	}
	return strings.Join([]string{
		"process.roles=broker,controller",
		fmt.Sprintf("node.id=%d", id),
		"controller.quorum.voters=" + strings.Join(voters, ","),
		"controller.listener.names=CONTROLLER",
		"listeners=" + listeners,
		"advertised.listeners=" + advertised,
		"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXY:PLAINTEXT",
		"inter.broker.listener.name=PLAINTEXT",
		"log.dirs=" + filepath.Join(s.dir, fmt.Sprintf("kafka-%d", id)),
		"auto.create.topics.enable=false",
		fmt.Sprintf("default.replication.factor=%d", replicas),
		fmt.Sprintf("min.insync.replicas=%d", (replicas+1)/2),
		fmt.Sprintf("offsets.topic.replication.factor=%d", replicas),
		"offsets.topic.num.partitions=8",
		"group.initial.rebalance.delay.ms=0",
		"broker.session.timeout.ms=6000",
		"broker.heartbeat.interval.ms=500",
		"controlled.shutdown.enable=true",
		"num.network.threads=2",
		"num.io.threads=4",
		"log.cleaner.dedupe.buffer.size=20000000",
		"group.coordinator.threads=2",
		"share.coordinator.state.topic.replication.factor=1",
		"share.coordinator.state.topic.min.isr=1",
		"",
	}, "\n")
}

// kafkaReady is nil when as many brokers as there are answer as one cluster.
func (s *Set) kafkaReady(ctx context.Context, want int) error {
	cfg := kafka.DefaultConfig()
	cfg.Brokers = s.KafkaBrokers()
	got, err := kafka.Brokers(ctx, cfg)
	if err == nil && got < want {
		err = fmt.Errorf("%d of %d brokers are there", got, want)
	}
	return err
}
