# frozen_string_literal: true

# Halves what a Rails application of the tests costs to boot. One whose Gemfile does not know it boots without.
begin
  require "bootsnap"
rescue LoadError
  return
end
Bootsnap.setup(cache_dir: File.expand_path("../../../tmp/bootsnap", __dir__), development_mode: false,
  load_path_cache: true, compile_cache_iseq: true, compile_cache_yaml: false)
