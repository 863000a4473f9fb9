# syntax=docker/dockerfile:1
# livehost in one image: every target is `livehost serve --target=...`.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /livehost ./cmd/livehost

# The embedded ClickHouse engine is opened with the C library's loader, hence no
# scratch image; certificates are for brokers and stores that want TLS.
FROM debian:12.12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/livehost livehost \
 && install -d -o livehost -g livehost /var/lib/livehost
COPY --from=build /livehost /usr/local/bin/livehost
USER 10001:10001
WORKDIR /var/lib/livehost
EXPOSE 9464
ENTRYPOINT ["livehost"]
CMD ["serve", "--target=all"]
