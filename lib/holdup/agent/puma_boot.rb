# frozen_string_literal: true

# Two copies of Holdup may load this file into one process, `plugin :holdup` and `holdup exec`: one is enough.
return if defined?(Holdup::PumaBoot)

require_relative "gem_activation"

module Holdup
  # Loads Holdup into Puma, in the version that the application's bundle has.
  #
  # With prune_bundler, and without `bundle exec`, Puma's master has no bundle: RubyGems would load the newest
  # version, and the application may name another, also a later one after a phased restart. Such a process
  # loads nothing of Holdup before it has loaded the application, which brings its bundle: a worker, or the
  # master with `preload_app!`. Before that it has this file and the one that it requires.
  module PumaBoot
    LATER_WORKER = /\Apuma: cluster worker [1-9]/

    # Extends Puma's configuration, whose `app` loads the application. `super` of an object's own module goes
    # up, so no alias that a gem makes of `app` can call it in a circle.
    module LoadedApplication
      def app(...)
        super.tap { PumaBoot.join }
      end
    end

    # Extends Puma::Configuration.
    module EachConfiguration
      def new(...)
        super.extend(LoadedApplication)
      end
    end

    class << self
      # @param launcher [Puma::Launcher] before it loads the application
      def start(launcher)
        wait { launcher.config.extend(LoadedApplication) }
      end

      # @param configurations [Class] Puma::Configuration
      def wait_for_application(configurations)
        wait { configurations.extend(EachConfiguration) }
      end

      # Must not raise: the application runs without Holdup then.
      def join
        require "holdup/base"
        Holdup.servers.install("Puma::Launcher")
      rescue StandardError, ScriptError => error
        complain(error)
      end

      private

      def wait
        return join if GemActivation.bundle? || defined?(Holdup::VERSION)
        GemActivation.give_back
        yield
      end

      def complain(error)
        return if @complained || LATER_WORKER.match?($PROGRAM_NAME)
        @complained = true
        $stderr.write("holdup: not measuring Puma: #{error.message}; `gem \"holdup\"` in the application's " \
          "Gemfile is what it needs\n")
      rescue SystemCallError, IOError
        nil
      end
    end
  end
end
