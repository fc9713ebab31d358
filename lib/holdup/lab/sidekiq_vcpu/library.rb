# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # The user's Sidekiq: of the bundle when we run in one, else the newest that is installed.
      module Library
        OLDEST = "7.0"

        module_function

        # Loads its client half.
        # @return [String] the path of its program
        # @raise [UnsupportedError] there is none, or it is too old
        def load
          program = Gem.bin_path("sidekiq", "sidekiq", ">= #{OLDEST}")
          require "sidekiq"
          check(::Sidekiq::VERSION)
          program
        rescue LoadError, Gem::Exception => error
          raise missing(error.message.lines.first.to_s.strip)
        end

        # Bundler gives us what is in the bundle, whatever we ask for.
        def check(version)
          raise missing("the bundle has #{version}") if Gem::Version.new(version) < Gem::Version.new(OLDEST)
        end

        def missing(reason)
          UnsupportedError.new("there is no Sidekiq #{OLDEST} or newer here (#{reason})",
            "run it where yours is (`bundle exec holdup lab ...` in your application), or `gem install sidekiq`")
        end
        private_class_method :missing
      end
    end
  end
end
