package controlplane

import (
	"strconv"
)

const (
	// serviceRange is where cluster IPs of Services are taken from. Nothing routes them.
	serviceRange = "10.96.0.0/16"
	// firstServiceIP is the address of the Service default/kubernetes.
	firstServiceIP = "10.96.0.1"
	// issuer is the issuer and the default audience of service account tokens.
	issuer = "https://kubernetes.default.svc"
)

func (c *ControlPlane) etcdArgs() []string {
	client, peer := c.EtcdURL(), "http://"+loopback(c.ports.etcdPeer)
	return []string{
		"--name=controlplane",
		"--data-dir=" + c.etcdDir(),
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=controlplane=" + peer,
		"--unsafe-no-fsync", // tests need speed, and survive no power cut
		"--log-level=warn",
	}
}

func (c *ControlPlane) apiServerArgs() []string {
	k := c.credentials
	args := []string{
		"--etcd-servers=" + c.EtcdURL(),
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(c.ports.apiServer),
		// An endpoint of the Service default/kubernetes must not be a loopback address.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=" + serviceRange,
		"--cert-dir=" + k.dir,
		"--tls-cert-file=" + k.path(certFile(apiServerFile)),
		"--tls-private-key-file=" + k.path(keyFile(apiServerFile)),
		"--client-ca-file=" + k.path(clusterCAFile),
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + k.path(publicFile(serviceAccountsFile)),
		"--service-account-signing-key-file=" + k.path(keyFile(serviceAccountsFile)),
		"--requestheader-client-ca-file=" + k.path(frontProxyCAFile),
		"--requestheader-allowed-names=" + frontProxyUser,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + k.path(certFile(frontProxyFile)),
		"--proxy-client-key-file=" + k.path(keyFile(frontProxyFile)),
		"--enable-aggregator-routing=false",
		"--authorization-mode=RBAC",
		"--allow-privileged=true",
	}
	if !c.options.ControllerManager {
		// Nobody makes the service account default, without which this plugin rejects every pod.
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	return args
}

// controllerManagerUser is bound to the controllers' permissions by kube-apiserver's own bootstrap policy.
const controllerManagerUser = "system:kube-controller-manager"

func (c *ControlPlane) controllerManagerKubeconfig() (string, error) {
	config, err := c.ConfigForUser(controllerManagerUser)
	if err != nil {
		return "", err
	}
	return c.writeUserKubeconfig(controllerManagerUser, config)
}

func (c *ControlPlane) controllerManagerArgs(kubeconfig string) []string {
	k := c.credentials
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(c.ports.controllers),
		"--tls-cert-file=" + k.path(certFile(controllersFile)),
		"--tls-private-key-file=" + k.path(keyFile(controllersFile)),
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + k.path(keyFile(serviceAccountsFile)),
		"--root-ca-file=" + k.path(clusterCAFile),
		"--cluster-signing-cert-file=" + k.path(clusterCAFile),
		"--cluster-signing-key-file=" + k.path(clusterCAKeyFile),
		// Large fixtures are rolled out at the speed of the machine, not of the default limits.
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
	}
}
