# frozen_string_literal: true

require "rbconfig"
require_relative "../version"

module Holdup
  # The gem `holdup` as the gem `holdup-agent` sees it: where its command line is, and what to do where it or
  # one of its libraries is missing.
  module MainGem
    # Both gems are in one folder: a checkout.
    BESIDE = File.expand_path("../../../exe/holdup", __dir__)

    module_function

    # @return [String, nil] path of the command line; nil where the bundle (without one: this Ruby) has no gem
    #   `holdup` of this version
    def executable
      return BESIDE if File.file?(BESIDE)
      folder = loadable ? File.expand_path("../../..", loadable) : installed&.full_gem_path
      folder && File.join(folder, "exe/holdup")
    end

    # Loads the other half into this process.
    # @raise [LoadError]
    def require_loader
      installed&.activate unless loadable
      require "holdup/loader"
    end

    # @return [String, nil] a file of the gem, in the load path
    def loadable = $LOAD_PATH.resolve_feature_path("holdup/loader")&.last

    # A gem is in the load path only when it is needed, unless there is a bundle, and later versions may be
    # installed.
    def installed
      return unless defined?(Gem::Specification)
      Gem::Specification.find_all_by_name("holdup", VERSION).first
    end
    private_class_method :loadable, :installed

    # What the log says where a collector should start and there is none.
    # @param dir [String] folder of the segments
    # @return [String]
    def no_collector(dir:, env:)
      "nothing carries the figures in #{dir} to a store, because the collector is in the gem holdup: " \
        "#{remedy(env)}, or run `holdup collect` elsewhere and set HOLDUP_COLLECTOR=off here"
    end

    # @param what [String] that the application asked for
    # @param reason [LoadError]
    # @return [UnsupportedError]
    def error(what, reason, env:)
      problem = "#{what} is in the gem holdup, which can't be loaded (#{reason.message})"
      UnsupportedError.new(problem, remedy(env))
    end

    # What a collector says that lacks a library, as under `holdup exec` in a bundle without Holdup, or whose
    # release was deleted while it ran.
    # @param reason [LoadError]
    # @param dir [String, nil] folder of the segments
    # @return [String]
    def missing_library(reason, dir:, env:)
      command = ["holdup collect", *(dir && "--dir #{dir}")].join(" ")
      advice = remedy(env, here: File.file?(__FILE__))
      "the collector can't run in #{RbConfig.ruby} (#{reason.message}): #{advice}. " \
        "Nothing is lost: measuring goes on, the segments stay in #{dir || "their folder"}, " \
        "and `#{command}` from any Ruby that has the gem carries them to the store"
    end

    # @param here [Boolean] whether the files of this gem are still there
    def remedy(env, here: true)
      return "its release was deleted, so restart the application in the new one" unless here
      gemfile = env["BUNDLE_GEMFILE"].to_s
      return "run `gem install holdup -v #{VERSION}` with this Ruby" if gemfile.empty?
      "add `gem \"holdup\"` to #{gemfile}"
    end
    private_class_method :remedy
  end
end
