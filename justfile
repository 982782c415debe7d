# The one door: people, hooks and CI run these recipes. `just` lists them.

venv := absolute_path(env("CHATFOLD_VENV", ".venv"))
host_python := env("CHATFOLD_PYTHON", "python3")

# Tools, and the interpreter that the extension is built for, come from the environment.
export PATH := venv / "bin" + ":" + env("PATH")
export VIRTUAL_ENV := venv
export PYO3_PYTHON := venv / "bin/python"

# What `just check` runs, in that order.
checks := "lint-rust test-rust install-release lint-python bench-smoke fuzz-build test-python"

set shell := ["bash", "-euo", "pipefail", "-c"]

[private]
default:
    @just --list --unsorted

# Make the environment and install every tool
[group("set up")]
setup:
    test -x {{ venv }}/bin/python || {{ host_python }} -m venv {{ venv }}
    python -m pip install --quiet --upgrade "pip>=25.1"
    python -m pip install --quiet --group dev

# Install a debug build, for quick turns; benches refuse it
[group("build")]
build:
    maturin develop

# Install an optimized build
[group("build")]
build-release:
    maturin develop --release

# Build the source distribution, from it the wheel, and install that: what users get
[group("build")]
install-release:
    rm -rf dist
    maturin sdist --out dist
    python -m pip wheel --quiet --no-deps --wheel-dir dist dist/chatfold-*.tar.gz
    rm -f python/chatfold/*.so
    python -m pip install --quiet --force-reinstall --no-deps dist/chatfold-*.whl
    ls -l dist

# Format everything
[group("check")]
fmt:
    cargo fmt
    ruff check --quiet --select I --fix
    ruff format

# All linters; needs an installed build
[group("check")]
lint: lint-rust lint-python

# Format, clippy, rustdoc and the lock file of the fuzz targets; a warning is an error
[group("check")]
lint-rust:
    cargo fmt --check
    cargo clippy --locked --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace
    cargo metadata --locked --format-version 1 --manifest-path rust/fuzz/Cargo.toml >/dev/null

# Ruff, mypy, and the stub against the installed extension
[group("check")]
lint-python:
    ruff check
    ruff format --check
    mypy
    python -m mypy.stubtest chatfold._core

# Rust tests, the examples in the documentation among them
[group("check")]
test-rust *args:
    cargo test --locked --workspace {{ args }}

# Python tests, of whatever build is installed
[group("check")]
test-python *args:
    pytest {{ args }}

# All tests
[group("check")]
test: test-rust test-python

# Run each benchmark once, at its smallest
[group("measure")]
bench-smoke:
    python -m benches.smoke

# Compare with other packages, on a quiet machine, and write docs/benchmarks.md
[group("measure")]
bench *args:
    python -m pip install --quiet --group bench
    python -m benches.compare {{ args }}

# Build the fuzz targets
[group("measure")]
fuzz-build:
    cd rust/fuzz && cargo build --locked --release

# Fuzz one target, `life` or `tokens`, for some seconds
[group("measure")]
fuzz target seconds="60":
    mkdir -p rust/fuzz/corpus/{{ target }} rust/fuzz/artifacts/{{ target }}
    cd rust/fuzz && cargo run --locked --release --bin {{ target }} -- \
        corpus/{{ target }} -max_total_time={{ seconds }} -artifact_prefix=artifacts/{{ target }}/

# Everything, on the optimized build: what must pass before a change lands
[group("check")]
check:
    @for recipe in {{ checks }}; do \
        printf '\n== %s (%d s)\n' "$recipe" "$SECONDS"; \
        just "$recipe"; \
    done; \
    printf '\n== all passed in %d s\n' "$SECONDS"

# Remove what was built
[group("set up")]
clean:
    cargo clean
    rm -rf dist rust/fuzz/target .mypy_cache .ruff_cache .pytest_cache
    find python -name '*.so' -delete
