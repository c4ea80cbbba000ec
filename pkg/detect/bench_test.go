package detect

import (
	"fmt"
	"testing"
)

// vllmSpec is a Deployment's pod as people run vLLM.
const vllmSpec = `
containers:
- name: server
  image: vllm/vllm-openai:v0.8.5
  command: [python3, -m, vllm.entrypoints.openai.api_server]
  args: ["--model=$(MODEL_ID)", --served-model-name, llama, --tensor-parallel-size=2, --host=0.0.0.0, --port=8000, --max-model-len, "8192", --enable-prefix-caching]
  env:
  - {name: MODEL_ID, value: meta-llama/Llama-3.1-8B-Instruct}
  - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token}}}
  - {name: HF_HOME, value: /models}
  - {name: NCCL_DEBUG, value: INFO}
  resources: {limits: {nvidia.com/gpu: 2, cpu: 8, memory: 32Gi}}
  volumeMounts: [{name: models, mountPath: /models}, {name: shm, mountPath: /dev/shm}]
volumes: [{name: models, persistentVolumeClaim: {claimName: models}}, {name: shm, emptyDir: {medium: Memory}}]
nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
`

func vllmPods(n int) []Pod {
	pods := make([]Pod, n)
	for i := range pods {
		pods[i] = Pod{UID: fmt.Sprint(i), Name: fmt.Sprint("server-", i), Containers: []PodContainer{{
			Name: "server", Kind: "container", SpecImage: "vllm/vllm-openai:v0.8.5",
			Image: "docker.io/vllm/vllm-openai:v0.8.5", ImageID: "docker.io/vllm/vllm-openai@" + digestA,
		}}}
	}
	return pods
}

func BenchmarkReadPodTemplate(b *testing.B) {
	template := map[string]any{"spec": decode(b, vllmSpec)}
	b.ReportAllocs()
	for b.Loop() {
		ReadPodTemplate(template, "spec.template", "")
	}
}

func BenchmarkDetect(b *testing.B) {
	for _, n := range []int{0, 3} {
		b.Run(fmt.Sprintf("pods=%d", n), func(b *testing.B) {
			t := ReadPodTemplate(map[string]any{"spec": decode(b, vllmSpec)}, "spec.template", "")
			rules, pods := DefaultRules(), vllmPods(n)
			b.ReportAllocs()
			for b.Loop() {
				f := rules.Detect(t, pods)
				Finish(&f)
			}
		})
	}
}

func BenchmarkDetect_shell(b *testing.B) {
	spec := map[string]any{"containers": []any{map[string]any{
		"name": "c", "image": "registry.local/x:1", "command": []any{"bash", "-c"},
		"args": []any{"set -eux\nexport M=a/b\npip install x\npython3 -m sglang.launch_server \\\n --model-path $M \\\n --port 8000 \\\n --host 0.0.0.0"},
	}}}
	t := ReadPodTemplate(map[string]any{"spec": spec}, "spec.template", "")
	b.ReportAllocs()
	for b.Loop() {
		f := DefaultRules().Detect(t, nil)
		Finish(&f)
	}
}
