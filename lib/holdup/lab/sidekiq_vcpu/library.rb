# frozen_string_literal: true

require_relative "../../errors"

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
          program
        rescue LoadError => error # RubyGems' own errors are LoadErrors too
          raise UnsupportedError.new("there is no Sidekiq #{OLDEST} or newer here (#{error.message.lines.first.to_s.strip})",
            "run it where yours is (`bundle exec holdup lab sidekiq-vcpu` in your application), or `gem install sidekiq`")
        end

        # @return [String] "8.1.7"
        def version = ::Sidekiq::VERSION
      end
    end
  end
end
