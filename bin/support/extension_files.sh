# shellcheck shell=bash
# Sourced by bin/setup, which compiles the extensions again when one of these files has changed.

# Prints what the gem's extension and the tests' extension are made of, relative to the project's root.
extension_files() {
  find ext/holdup test/native/ext \( -name '*.[ch]' -o -name '*.rb' \) | LC_ALL=C sort
}
