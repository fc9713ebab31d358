# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether workers with a JIT live long enough to have something of it: compiling takes CPU first.
      module JitLives
        NS = 1_000_000_000

        def self.call(host)
          host.lives.select(&:wasted?).map do |lives|
            CheckResult.warn(:jit_short_lives, server: lives.server.to_s, ended: lives.ended,
              units: lives.units, lived_ns: lives.seconds * NS)
          end
        end
      end
    end
  end
end
