# The server as an image: docs/INSTALL.md says how to run it. Built with BuildKit: docker build --tag boardroom .
ARG SWIFT=6.3
ARG DEBIAN=bookworm

FROM swift:${SWIFT}-${DEBIAN} AS build
# Seconds since 1970 that all times in the package are.
ARG SOURCE_DATE_EPOCH=0
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    binutils dpkg-dev liblz4-dev libpq-dev libsqlite3-dev pkg-config python3 zlib1g-dev \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" tools/release --only deb --output /packages

FROM debian:${DEBIAN}-slim
# The account has a fixed number, so that a volume keeps its owner; the package finds the account there.
RUN groupadd --system --gid 990 boardroom \
  && useradd --system --uid 990 --gid boardroom --home-dir /var/lib/boardroom --no-create-home \
    --shell /usr/sbin/nologin boardroom
# What is installed is the Debian package, with the libraries that it needs; libpq is one of them, so that a node of several is this image, too.
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
  apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates /packages/boardroom_*.deb \
  && rm -rf /var/lib/apt/lists/*
# Port 9090 is for the health check alone: it speaks plain HTTP, whether rooms have TLS or not.
ENV BOARDROOM_CONFIG=/etc/boardroom/boardroom.json \
  BOARDROOM_DATA=/var/lib/boardroom \
  BOARDROOM_HOST=0.0.0.0 \
  BOARDROOM_LOG_FORMAT=json \
  BOARDROOM_METRICS_LISTEN=127.0.0.1:9090
USER 990:990
VOLUME /var/lib/boardroom
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9090 && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r answer <&3 && [[ $answer == *' 200 '* ]]"]
ENTRYPOINT ["boardroom"]
CMD ["serve"]
