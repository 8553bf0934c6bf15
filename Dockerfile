# foresee with what it needs to watch C, C++ and Go programs.
#   docker build -t foresee . && docker run --rm -v "$PWD":/src -w /src foresee go test ./...
FROM debian:12 AS build
COPY . /foresee
WORKDIR /foresee
RUN apt-get update -qq && apt-get install -y -qq make dpkg-dev && tools/setup promised && tools/deb

FROM debian:12
COPY --from=build /foresee/build-deb/packages/*.deb /tmp/
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends \
    /tmp/*.deb clang-14 golang-go gcc libc6-dev ca-certificates && rm -rf /tmp/*.deb /var/lib/apt/lists/*
ENTRYPOINT ["foresee"]
