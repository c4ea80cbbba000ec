package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// etcdTimeout bounds one question to etcd.
const etcdTimeout = 30 * time.Second

// EtcdPrefix is what every key that kube-apiserver stores starts with: EtcdPrefix + "/pods/default/a" in the core group,
// EtcdPrefix + "/GROUP/RESOURCE/..." for custom resources.
const EtcdPrefix = "/registry"

// EtcdKeys returns the keys that start with prefix, in order; with an empty prefix, all keys.
func (c *ControlPlane) EtcdKeys(ctx context.Context, prefix string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, etcdTimeout)
	defer cancel()
	// The JSON form of etcd's RangeRequest; bytes are base64 on the wire.
	start, end := prefixRange(prefix)
	body, err := json.Marshal(map[string]any{"key": start, "range_end": end, "keys_only": true})
	if err != nil {
		return nil, fmt.Errorf("encoding the range of %q: %w", prefix, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.EtcdURL()+"/v3/kv/range", bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("asking etcd for the keys below %q: %w", prefix, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking etcd for the keys below %q: %w", prefix, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("asking etcd for the keys below %q: status %s", prefix, resp.Status)
	}
	var answer struct {
		KVs []struct {
			Key []byte `json:"key"`
		} `json:"kvs"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("decoding the keys below %q: %w", prefix, err)
	}
	keys := make([]string, len(answer.KVs))
	for i, kv := range answer.KVs {
		keys[i] = string(kv.Key)
	}
	return keys, nil
}

// EtcdPutCount returns how many keys have been written since etcd started. A control plane that nobody uses writes too,
// now and then: kube-apiserver renews its identity Lease, for one. Proofs compare EtcdKeys, or counts over a busy moment.
func (c *ControlPlane) EtcdPutCount(ctx context.Context) (int64, error) {
	puts, err := c.EtcdMetric(ctx, "etcd_mvcc_put_total")
	return int64(puts), err
}

// EtcdMetric returns the value of one of etcd's metrics that has no labels, such as
// etcd_mvcc_db_total_size_in_use_in_bytes.
func (c *ControlPlane) EtcdMetric(ctx context.Context, name string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, etcdTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.EtcdURL()+"/metrics", nil)
	if err != nil {
		return 0, fmt.Errorf("asking etcd for %s: %w", name, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, fmt.Errorf("asking etcd for %s: %w", name, err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if text, found := strings.CutPrefix(lines.Text(), name+" "); found {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return 0, fmt.Errorf("reading etcd's %s: %w", name, err)
			}
			return value, nil
		}
	}
	if err := lines.Err(); err != nil {
		return 0, fmt.Errorf("reading etcd's metrics: %w", err)
	}
	return 0, fmt.Errorf("etcd has no metric %s without labels (status %s)", name, resp.Status)
}

// prefixRange is the half-open interval of keys that start with prefix. In etcd a zero byte as the end means no end, and
// as the start the first key.
func prefixRange(prefix string) (start, end []byte) {
	end = []byte(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return []byte(prefix), end[:i+1]
		}
	}
	if prefix == "" {
		return []byte{0}, []byte{0}
	}
	return []byte(prefix), []byte{0}
}
