# frozen_string_literal: true

# Other engines and systems without the GVL API install and load; lib/holdup/agent/probe.rb answers there.
# Before mkmf: JRuby's refuses to be loaded.
unless RUBY_ENGINE == "ruby" && !RUBY_PLATFORM.match?(/mswin|mingw|cygwin/)
  File.write("Makefile", "all install clean:\n\t@true\n")
  exit
end

require "mkmf"

# Tests only: what another system has, compiled and run on Linux.
elsewhere = ENV["HOLDUP_WITHOUT_LINUX"] || !RUBY_PLATFORM.include?("linux")
# Where nobody builds a release, an extension that does not compile fails no installation: Holdup loads, says
# once that it measures nothing, and why. Without a compiler mkmf raises in its first check.
begin
  have_header("ruby.h")
rescue RuntimeError => error
  raise unless elsewhere
  puts "\nholdup: the extension is left out, so nothing is measured here. #{error.message.lines.first}"
  File.write("Makefile", "all install clean:\n\t@true\n")
  exit
end

unless have_func("rb_internal_thread_specific_get", "ruby/thread.h") # 3.3
  abort "holdup needs Ruby >= 3.3: GVL events name their thread from there on"
end

# Exported by CRuby for its objspace.
have_func("rb_obj_memsize_of")
have_func("rb_obj_gc_flags")

unless ENV["HOLDUP_WITHOUT_LINUX"]
  have_func("posix_fallocate", "fcntl.h") # not on macOS
  have_func("memfd_create", "sys/mman.h") # Linux
end

append_cflags(%w[-std=gnu11 -O3 -fvisibility=hidden])
# It is tried, not timed, so it need not be fast.
append_cflags(%w[-U__linux__ -O0]) if ENV["HOLDUP_WITHOUT_LINUX"]
# ProcessWatcher gives the memory back in which the linker would look for names later.
append_ldflags("-Wl,-z,now") if RUBY_PLATFORM.include?("linux")
# A precompiled gem has the extension of each Ruby, so without debugging information.
append_ldflags("-Wl,--strip-debug") if enable_config("cross-build")
# CI only: a warning never fails an install.
append_cflags(%w[-Wall -Wextra -Werror -Wno-unused-parameter]) if ENV["HOLDUP_PEDANTIC"]
if ENV["HOLDUP_ASAN"]
  append_cflags(%w[-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g])
  append_ldflags("-fsanitize=address,undefined")
end

# The folders are for readers. All objects are in one, so each file has a name of its own.
files = Dir.glob("**/*.{c,h}", base: __dir__).sort
$srcs, headers = files.partition { |file| file.end_with?(".c") }
$headers = headers.map { |file| "$(srcdir)/#{file}" }
# Where the sources themselves are built (gem install), make stops looking at a folder "./.".
folders = $srcs.map { |file| File.dirname(file) }.uniq - ["."]
$VPATH.concat(folders.map { |folder| "$(srcdir)/#{folder}" })

create_makefile("holdup/holdup")

if elsewhere
  File.rename("Makefile", "Makefile.extension")
  File.write("Makefile", <<~MAKE)
    all:
    \t@$(MAKE) -f Makefile.extension $@ || \\
    \t  echo "holdup: the extension does not compile here, so nothing is measured. Please report it."
    install clean:
    \t@$(MAKE) -f Makefile.extension $@ || true
  MAKE
end
