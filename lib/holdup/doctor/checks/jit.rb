# frozen_string_literal: true

require_relative "../finding"

module Holdup
  module Doctor
    module Checks
      # Whether the processes run with a JIT: less running means less stall for everybody.
      module Jit
        def self.call(host)
          jits = host.facts("jit").compact
          return [] if jits.empty?
          jits.include?("off") ? Finding.warn(:jit_off) : Finding.ok(:jit, name: jits.join(", "))
        end
      end
    end
  end
end
