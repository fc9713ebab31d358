# frozen_string_literal: true

module Holdup
  module Lab
    # One setting to try: its changes to the environment and command of the user's server. nil leaves the
    # application's value.
    #
    # - `processes`, `threads` (of each); `yjit`: on from Ruby's start, or never on; `time_slice_ns`
    # - `again`: repeats the same setting, to show how much chance alone changes
    # - `extra`: further environment variables; `label`: its name, nil: named after its changes
    Arm = Data.define(:processes, :threads, :yjit, :time_slice_ns, :again, :extra, :label) do
      def initialize(processes: nil, threads: nil, yjit: nil, time_slice_ns: nil, again: false, extra: {},
        label: nil)
        super
      end

      # @param hash [Hash{Symbol => Object}] from to_h, read from a file
      def self.from(hash)
        new(**hash, extra: hash.fetch(:extra, {}).transform_keys(&:to_s))
      end

      def env
        {
          **variables(self.class::PROCESSES, processes),
          **variables(self.class::THREADS, threads),
          **variables(%w[RUBY_YJIT_ENABLE], {true => 1, false => 0}[yjit]),
          **variables(%w[RUBY_THREAD_TIMESLICE], time_slice_ms),
          **extra
        }
      end

      # @return [Boolean] whether it says which JIT the server has, instead of what the user has set
      def jit?
        env.keys.any? { |name| ChildEnvironment::JIT_VARIABLE.match?(name) }
      end

      # @param argument [String] of the command; {threads} and {processes} are replaced
      def fill(argument, **others)
        values = {threads:, processes:, **others}
        argument.gsub(/\{(threads|processes|port)\}/) { values[$1.to_sym].to_s }
      end

      # @return [Arm] the same setting without `again`
      def setting = with(again: false)

      # @return [String] "2 x 5, yjit, 10 ms (again)"; the same in every language
      def name
        "#{label || changes.join(", ")}#{" (again)" if again}".strip
      end

      private

      def changes
        size = "#{processes} x #{threads}".strip if processes || threads
        jit = {true => "yjit", false => "no yjit"}[yjit]
        slice = "#{time_slice_ms} ms" if time_slice_ms
        [size, jit, slice, *extra.map { |variable, value| "#{variable}=#{value}" }].compact
      end

      def time_slice_ms
        time_slice_ns && time_slice_ns / 1_000_000
      end

      def variables(names, value)
        value.nil? ? {} : names.to_h { |name| [name, value.to_s] }
      end
    end

    # Variables that Rails' and Puma's own configuration read.
    Arm::THREADS = %w[RAILS_MAX_THREADS RAILS_MIN_THREADS PUMA_MAX_THREADS PUMA_MIN_THREADS].freeze
    Arm::PROCESSES = %w[WEB_CONCURRENCY].freeze

    # Measures all arms in each round, in a new order every round, so that slow changes (heat, other load on
    # the machine) affect all arms alike.
    module Arm::Rounds
      # @param count [Integer] rounds
      # @yieldparam arm one of the arms
      # @yieldreturn [Object] a sample
      # @return [Hash{Object => Array}] arm => one sample a round
      def self.call(arms, count)
        samples = arms.to_h { |arm| [arm, []] }
        count.times { |round| order(arms, round).each { |arm| samples[arm] << yield(arm) } }
        samples
      end

      # @param round [Integer] from 0
      # @return [Array] in that round's order; round 0 keeps the given order
      def self.order(arms, round)
        (round.odd? ? arms.reverse : arms).rotate(round / 2)
      end
    end
  end
end
