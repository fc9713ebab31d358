# frozen_string_literal: true

# Halves the time in which a Rails application of the tests boots. Without bootsnap in its Gemfile it boots as
# usual.
begin
  require "bootsnap"
rescue LoadError
  return
end
Bootsnap.setup(cache_dir: File.expand_path("../../../tmp/bootsnap", __dir__), development_mode: false,
  load_path_cache: true, compile_cache_iseq: true, compile_cache_yaml: false)
