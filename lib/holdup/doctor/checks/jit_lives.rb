# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Doctor
    module Checks
      # Whether workers with a JIT live long enough to have something of it: compiling takes CPU first.
      module JitLives
        # Requests that a worker should serve in its life.
        ENOUGH = 1000

        def self.call(host)
          host.lives.select { |lives| lives.jit && lives.recycled? && lives.units < ENOUGH }.map do |lives|
            Finding.warn(:jit_short_lives, server: lives.server.to_s, ended: lives.ended, units: lives.units, minutes: (lives.seconds / 60.0).round(1))
          end
        end
      end
    end
  end
end
