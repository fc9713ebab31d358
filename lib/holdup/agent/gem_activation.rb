# frozen_string_literal: true

# Two versions of Holdup may load this file into one process: Puma's plugin, and Holdup of the application's
# bundle. The first serves both, so its methods must stay as they are.
return if defined?(Holdup::GemActivation)

module Holdup
  # RubyGems activates a version of Holdup to load it if there is no bundle. The process may get a bundle
  # later: a worker of Puma with prune_bundler, or of a server without `bundle exec`. Bundler refuses a bundle
  # that has another version of an activated gem, and the application would not boot.
  module GemActivation
    NAME = "holdup-agent"
    # Bundler has loaded one of these when the bundle is on the load path.
    BUNDLE = %w[/bundler/setup.rb /bundler/runtime.rb].freeze

    module_function

    # Whether this process has a bundle.
    def bundle?
      $LOADED_FEATURES.any? { |file| file.end_with?(*BUNDLE) }
    end

    # Leaves the version open. Its files can still be loaded: they go last in the load path, because Bundler
    # puts those of its version behind what RubyGems has put there.
    # @return [void]
    def give_back
      return if bundle? || !defined?(Gem.loaded_specs)
      spec = Gem.loaded_specs.delete(NAME) or return
      spec.activated = false
      paths = $LOAD_PATH & spec.full_require_paths
      $LOAD_PATH.replace($LOAD_PATH - paths + paths)
    end
  end
end
