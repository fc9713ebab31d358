# frozen_string_literal: true

module Holdup
  module Lab
    # One setting to try: what it changes in the environment and in the command of the user's server. What is
    # nil stays as the application has it.
    #
    # - `processes`, `threads` (of each); `yjit`: from the start on, or not at all; `time_slice_ns`
    # - `again`: the same once more, to see what chance alone makes of it
    # - `extra`: further variables of the environment; `label`: what it is called, nil: by what it changes
    Arm = Data.define(:processes, :threads, :yjit, :time_slice_ns, :again, :extra, :label) do
      def initialize(processes: nil, threads: nil, yjit: nil, time_slice_ns: nil, again: false, extra: {},
        label: nil)
        super
      end

      # @param hash [Hash{Symbol => Object}] from to_h, out of a file
      # @return [Arm]
      def self.from(hash)
        new(**hash, extra: hash.fetch(:extra, {}).transform_keys(&:to_s))
      end

      # @return [Hash{String => String}]
      def env
        {**each(self.class::PROCESSES, processes), **each(self.class::THREADS, threads), **each(%w[RUBY_YJIT_ENABLE], {true => 1, false => 0}[yjit]),
         **each(%w[RUBY_THREAD_TIMESLICE], time_slice_ns && time_slice_ns / 1_000_000), **extra}
      end

      # @param argument [String] of the command; {threads} and {processes} are replaced
      # @return [String]
      def fill(argument, **others)
        argument.gsub(/\{(threads|processes|port)\}/) { {threads:, processes:, **others}[$1.to_sym].to_s }
      end

      # @return [Arm] the same setting, whichever time it is tried
      def setting = with(again: false)

      # @return [String] "2 x 5, yjit, 10 ms (again)"; the same in every language
      def name
        "#{label || parts.compact.join(", ")}#{" (again)" if again}".strip
      end

      private

      def parts
        size = "#{processes} x #{threads}".strip if processes || threads
        [size, {true => "yjit", false => "no yjit"}[yjit],
          time_slice_ns && "#{time_slice_ns / 1_000_000} ms", *extra.map { |pair| pair.join("=") }]
      end

      def each(names, value)
        value.nil? ? {} : names.to_h { |name| [name, value.to_s] }
      end
    end

    # What Rails' and Puma's own configuration read.
    Arm::THREADS = %w[RAILS_MAX_THREADS RAILS_MIN_THREADS PUMA_MAX_THREADS PUMA_MIN_THREADS].freeze
    Arm::PROCESSES = %w[WEB_CONCURRENCY].freeze
  end
end
