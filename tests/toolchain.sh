# shellcheck shell=bash
# To be sourced at the root: the toolchain of rust-toolchain.toml, also for the programs that tests build in other folders.
# A toolchain that the caller chose with RUSTUP_TOOLCHAIN stays.

# rustup installs the toolchain with its components, if need be.
cargo --version >/dev/null
RUSTUP_TOOLCHAIN=${RUSTUP_TOOLCHAIN:-$(sed -n 's/^channel = "\(.*\)"$/\1/p' rust-toolchain.toml)}
export RUSTUP_TOOLCHAIN
