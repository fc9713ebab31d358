# frozen_string_literal: true

require "rbconfig"
require_relative "../model/errors"
require_relative "probe/fallback"

module Holdup
  # The measuring half in C, or, where Ruby has no GVL events (JRuby, TruffleRuby, Windows) or the extension
  # is missing, a fallback with the same methods that measures nothing. Loading it switches nothing on.
  #
  # The development build is named by Ruby's ABI, so that several Rubies can share a checkout; an installed
  # gem has one.
  module Probe
    ABI = "#{RbConfig::CONFIG["ruby_version"]}-#{RbConfig::CONFIG["arch"]}"
    CANDIDATES = [File.expand_path("../native/#{ABI}/holdup", __dir__),
      File.expand_path("../holdup", __dir__), "holdup/holdup"].freeze

    # @return [Boolean] whether this Ruby has the GVL events that the extension needs
    def self.events?
      RUBY_ENGINE == "ruby" && !RUBY_PLATFORM.match?(/mswin|mingw|cygwin/)
    end

    # @return [Boolean] whether the extension is loaded, so that there is something to measure with
    def self.supported? = respond_to?(:clock_source)

    # @return [String, nil] one sentence on why nothing is measured here
    def self.unsupported_reason
      return if supported?
      unless events?
        return "Holdup measures nothing on #{RUBY_ENGINE} for #{RUBY_PLATFORM}: it needs CRuby's GVL events"
      end
      "Holdup measures nothing: its C extension is not built for Ruby #{ABI}; reinstall the gem (gem pristine holdup)"
    end

    # @param paths [Array<String>] where the extension may be
    # @return [String, nil] the one that was loaded
    def self.load_extension(paths = CANDIDATES)
      paths.find { |path| load_one(path) }
    end

    def self.load_one(path)
      require path
      true
    rescue LoadError
      false
    end
    private_class_method :load_one
  end

  unless Probe.events? && Probe.load_extension
    Probe.extend(Probe::Fallback)
    Probe.include(Probe::Fallback) # for its constants
  end
end
