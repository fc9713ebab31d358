# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether the processes run with a JIT, since when, and whether anything is in the way: less running
      # means less stall for everybody.
      module Jit
        class << self
          def call(host)
            jits = host.alive.map(&:jit).select(&:kind)
            return [] if jits.empty?
            [state(jits), *wishes(jits)]
          end

          private

          def state(jits)
            off = jits.select(&:off?)
            return on(jits) if off.empty?
            CheckResult.warn(:jit_off, processes: off.size, all: jits.size)
          end

          def on(jits)
            CheckResult.ok(:jit, name: names(jits, &:kind), processes: jits.size, since: since(jits),
              by: names(jits, &:by))
          end

          # What was asked for and can't be.
          def wishes(jits)
            [(if jits.any? { |jit| jit.wish == "on" && jit.available == false }
                CheckResult.warn(:jit_unavailable)
              end),
              (if jits.any? { |jit| jit.wish == "off" && jit.on? }
                 CheckResult.warn(:jit_unwanted, by: names(jits.select(&:on?), &:by))
               end),
              *jits.filter_map(&:rubyopt).uniq.map { |line| CheckResult.warn(:jit_options, line:) }].compact
          end

          def names(jits, &)
            jits.filter_map(&).uniq.then { |found| found.empty? ? "?" : found.join(", ") }
          end

          def since(jits)
            first = jits.filter_map(&:since_ns).min
            first ? Time.at(first / 1_000_000_000, in: "UTC").strftime("%F %T UTC") : "?"
          end
        end
      end
    end
  end
end
