# frozen_string_literal: true

require "mkmf"

# Other engines and systems without the GVL API install and load; lib/holdup/probe/fallback.rb answers there.
unless RUBY_ENGINE == "ruby" && !RUBY_PLATFORM.match?(/mswin|mingw|cygwin/)
  File.write("Makefile", dummy_makefile($srcdir).join)
  exit
end

abort "holdup needs Ruby >= 3.3: its GVL events name their thread from there on" unless have_func("rb_internal_thread_specific_get", "ruby/thread.h") # 3.3

$srcs = ["init.c"]
$CFLAGS << " -std=c11 -O3 -fvisibility=hidden"
$CFLAGS << " -Wall -Wextra -Werror -Wno-unused-parameter" if ENV["HOLDUP_PEDANTIC"] # CI only: an install never fails for a warning
$CFLAGS << " -fsanitize=address -fno-omit-frame-pointer -g -O1" if ENV["HOLDUP_ASAN"]
$LDFLAGS << " -fsanitize=address" if ENV["HOLDUP_ASAN"]

create_makefile("holdup/holdup")
