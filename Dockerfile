# The image of the server and of the plugin: two static binaries, nothing else.
#
#   docker build -t k8s-aibom:latest .
#
# The first stage runs on the machine's own platform and cross-compiles, so --platform needs no
# emulation. BUILDER is any image with Go and a shell.
ARG BUILDER=docker.io/library/golang:1.26.8
FROM --platform=$BUILDPLATFORM ${BUILDER} AS build
ARG TARGETOS=linux
ARG TARGETARCH
ARG GOPROXY
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY apis apis
COPY generated generated
COPY pkg pkg
COPY cmd cmd
ARG VERSION=devel
# No C, no path of this machine, no build ID: the same source gives the same bytes.
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -buildvcs=false \
    -ldflags "-s -w -buildid= -X k8saibom.dev/k8s-aibom/pkg/version.version=${VERSION}" \
    -o /out/ ./cmd/...

FROM scratch
ARG VERSION=devel
ARG REVISION
LABEL org.opencontainers.image.title="k8s-aibom" \
      org.opencontainers.image.description="AI bills of materials of Kubernetes workloads, computed when they are read" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /out/ /
# A number, so that a cluster can see that it is not root.
USER 65532:65532
ENTRYPOINT ["/aibom-apiserver"]
