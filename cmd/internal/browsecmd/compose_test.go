package browsecmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/cmd/internal/browsecmd"
)

// The file for containers that is documented is YAML, names what it has, and starts a worker that looks for the broker.
func TestComposeFile(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "browse.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(doc), "```yaml\nservices:")
	require.True(t, found)
	text, _, found = strings.Cut(text, "```")
	require.True(t, found)
	var file struct {
		Services map[string]struct {
			Image, Hostname string
			Build           struct {
				Context    string
				Dockerfile string `yaml:"dockerfile_inline"`
			}
			Command     []string
			Environment map[string]string
			Volumes     []string
			DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
			Healthcheck struct {
				Test              []string
				Interval, Timeout string
				Retries           int
			}
			SecurityOpt []string `yaml:"security_opt"`
			Init        bool
			Memory      string `yaml:"mem_limit"`
			Grace       string `yaml:"stop_grace_period"`
			Restart     string
		}
		Volumes map[string]any
	}
	decoder := yaml.NewDecoder(strings.NewReader("services:" + text))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&file))
	worker, broker := file.Services["worker"], file.Services["broker"]
	assert.Contains(t, file.Services, "broker")
	assert.Contains(t, worker.DependsOn, "broker")
	assert.NotEmpty(t, broker.Healthcheck.Test, "the worker waits until the broker is healthy")
	for _, v := range broker.Volumes {
		name, _, _ := strings.Cut(v, ":")
		assert.Contains(t, file.Volumes, name)
	}
	assert.Contains(t, worker.Build.Dockerfile, "go build -o /browse ./cmd/browse\n")

	url := worker.Environment["BROWSE_AMQP"]
	assert.Equal(t, "amqp://browse:"+broker.Environment["RABBITMQ_DEFAULT_PASS"]+"@broker:5672/", url)
	url = strings.NewReplacer("${BROWSE_PASSWORD:?}", "secret", "broker:5672", "127.0.0.1:9").Replace(url)
	needBrowser(t)
	var out, complaints bytes.Buffer
	assert.Equal(t, 2, browsecmd.Main(worker.Command, []string{"BROWSE_AMQP=" + url}, &out, &complaints))
	assert.Contains(t, complaints.String(), "connect to broker 127.0.0.1:9: ")
}
