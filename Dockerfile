# lito with everything that it needs in CI: git, valgrind, and a Rust toolchain with rustup.
#
#   docker build --tag lito .
#   docker build --target programs --output programs .     # the programs alone
#
# The archives of a release hold the same programs, which run wherever the C library is as new as that of Debian 12.

FROM rust:1.95.0-slim-bookworm AS build
# The workflows that `lito init` writes pin this commit: OWNER/NAME@COMMIT.
ARG LITO_SOURCE
WORKDIR /lito
COPY . .
RUN cargo build --release --locked --bins

FROM scratch AS programs
COPY --from=build /lito/target/release/lito /lito/target/release/cargo-lito /

FROM rust:1.95.0-slim-bookworm
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git valgrind \
    && rm -rf /var/lib/apt/lists/* \
    # A job's checkout belongs to another user than the one in the container.
    && git config --system --add safe.directory '*'
COPY --from=programs / /usr/local/bin/
CMD ["lito", "--help"]
