# frozen_string_literal: true

# Halves the time in which a Rails application of the tests boots. Without bootsnap in its Gemfile it boots as
# usual.
begin
  require "bootsnap"
rescue LoadError
  return
end
# Of gems it is the same for all checkouts.
folder = ENV.fetch("HOLDUP_CACHE", File.expand_path("../../../tmp", __dir__))
Bootsnap.setup(cache_dir: File.join(folder, "bootsnap", RUBY_VERSION), development_mode: false,
  load_path_cache: true, compile_cache_iseq: true, compile_cache_yaml: false)
