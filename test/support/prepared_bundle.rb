# frozen_string_literal: true

require "fileutils"
require "tmpdir"

# The bundle of this run as one file, which children load instead of bundler/setup: a short Ruby would spend
# most of its CPU time on the lock file and the gemspecs. Like Bundler it puts the gems on the load path, and
# tells RubyGems that they are loaded. A child with another Gemfile, or with none, has Bundler itself.
module PreparedBundle
  SETUP = %r{\A-r(.*bundler/setup)\z}

  class << self
    # All children that inherit RUBYOPT have it from now on.
    # @return [void]
    def use
      options = ENV["RUBYOPT"].to_s.split
      place = options.index { |option| SETUP.match?(option) }
      return unless place
      folder = Dir.mktmpdir("holdup-bundle")
      File.chmod(0o755, folder) # some children run as another user
      Minitest.after_run { FileUtils.rm_rf(folder) }
      path = File.join(folder, "bundle.rb")
      File.write(path, script(options[place][SETUP, 1]))
      options[place] = "-r#{path}"
      ENV["RUBYOPT"] = options.join(" ")
      ENV.delete("BUNDLER_SETUP") # RubyGems loads Bundler where that is set
    end

    private

    # @param setup [String] path of bundler/setup
    def script(setup)
      specs = Gem.loaded_specs.values
      <<~RUBY
        if ENV["BUNDLE_GEMFILE"] == #{ENV.fetch("BUNDLE_GEMFILE").dump}
          require "rubygems"
          Gem.singleton_class.prepend(Module.new { def finish_resolve(*) = [] })
          #{specs.map { |spec| row(spec) }.inspect}.each do |row|
            name, version, platform, loaded_from, full_gem_path, require_paths, bindir, executables = row
            spec = Gem.loaded_specs[name] = Gem::Specification.new(name, version)
            spec.platform = platform
            spec.loaded_from = loaded_from
            spec.full_gem_path = full_gem_path
            spec.require_paths = require_paths
            spec.bindir = bindir
            spec.executables = executables
          end
          Gem.discover_gems_on_require = false
          Gem.add_to_load_path(*#{specs.flat_map(&:full_require_paths).uniq.inspect})
          $LOADED_FEATURES << #{"#{setup}.rb".dump}
        else
          require #{setup.dump}
        end
      RUBY
    end

    def row(spec)
      [spec.name, spec.version.to_s, spec.platform.to_s, spec.loaded_from, spec.full_gem_path,
        spec.raw_require_paths, spec.bindir, spec.executables]
    end
  end
end
