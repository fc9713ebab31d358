# frozen_string_literal: true

module Holdup
  module Jit
    # What `config.jit` asks for: nil leaves the JIT alone, :off wants none, :on wants YJIT once the
    # application is loaded, and a Hash the same with a size or a threshold.
    #
    # - `action`: nil, :off or :on; `mem_size`: MiB for code and metadata together; `call_threshold`: calls
    # - `stats`: :quiet or nil; `stats_share`: of the processes, which alone keep deep statistics and pay for
    #   them
    RequestedMode = Data.define(:action, :mem_size, :call_threshold, :stats, :stats_share) do
      # @param value [Symbol, Hash, nil] of the configuration, checked there
      # @return [RequestedMode]
      def self.from(value)
        return new(action: value) unless value.is_a?(Hash)
        new(action: :on, **value.except(:after))
      end

      def initialize(action: nil, mem_size: nil, call_threshold: nil, stats: nil, stats_share: 0.1)
        super
      end

      def on? = action == :on

      def off? = action == :off

      # @param version [RubyDefaults]
      # @return [Hash{Symbol => Integer}] what `enable` can be told
      def arguments(version)
        version.takes_options? ? given : {}
      end

      # @param chance [Float] 0.0...1.0, another one for each process
      # @return [Hash{Symbol => Symbol}] the same for the arm with deep statistics, which every version takes;
      #   empty outside of it
      def deep(chance)
        (stats && chance < stats_share) ? {stats:} : {}
      end

      # The options that this Ruby takes only when it starts, and that it was not started with.
      # @param version [RubyDefaults]
      # @param options [CommandLine]
      # @return [String, nil] what RUBYOPT must hold; nil when nothing is missing
      def rubyopt(version, options)
        return if version.takes_options?
        missing = wanted(version).reject { |name, value| options.number(name) == value }
        ["--yjit-disable", *missing.map { |name, value| "#{name}=#{value}" }].join(" ") unless missing.empty?
      end

      private

      def given = {mem_size:, call_threshold:}.compact

      def wanted(version)
        {**size(version), "--yjit-call-threshold" => call_threshold}.compact
      end

      # Ruby 3.3 limits the code alone, which is a third of what it makes.
      def size(version)
        return {} unless mem_size
        version.limits_total? ? {"--yjit-mem-size" => mem_size} : {"--yjit-exec-mem-size" => [(mem_size / Jit::TOTAL_TO_CODE).floor, 1].max}
      end
    end
  end
end
