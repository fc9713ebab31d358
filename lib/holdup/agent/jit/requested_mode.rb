# frozen_string_literal: true

require_relative "snapshot"
require_relative "../../model/ruby_version"

module Holdup
  module Jit
    # What `config.jit` asks for: nil leaves the JIT alone, :off disables it, :on enables YJIT once the
    # application is loaded, and a Hash does so with a size or a threshold.
    #
    # - `action`: nil, :off or :on; `mem_size`: MiB for code and metadata together; `call_threshold`: calls
    # - `stats`: :quiet or nil; `stats_share`: share of processes that keep deep statistics and pay for them
    RequestedMode = Data.define(:action, :mem_size, :call_threshold, :stats, :stats_share) do
      def self.from(value)
        return new(action: value) unless value.is_a?(Hash)
        new(action: :on, **value.except(:after))
      end

      def initialize(action: nil, mem_size: nil, call_threshold: nil, stats: nil, stats_share: 0.1)
        super
      end

      def on? = action == :on

      def off? = action == :off

      # Arguments that `enable` takes on this Ruby.
      def arguments(version)
        version.takes_options? ? given : {}
      end

      # Arguments of `enable` for deep statistics; empty where this process keeps none.
      def deep(chance)
        (stats && chance < stats_share) ? {stats:} : {}
      end

      # Wanted options that this Ruby takes only at its start and was not started with.
      # @param jit [Symbol] :yjit or :zjit, which takes them at no other time
      # @return [String, nil] what RUBYOPT must contain; nil when nothing is missing
      def rubyopt(version, options, jit: :yjit)
        return if jit == :yjit && version.takes_options?
        wanted = (jit == :yjit) ? wanted_of_yjit(version) : wanted_of_zjit
        missing = wanted.reject { |name, value| options.number(name) == value }
        return if missing.empty?
        ["--#{jit}-disable", *missing.map { |name, value| "#{name}=#{value}" }].join(" ")
      end

      private

      def given = {mem_size:, call_threshold:}.compact

      def wanted_of_yjit(version)
        {**size(version), "--yjit-call-threshold" => call_threshold}.compact
      end

      def wanted_of_zjit
        {"--zjit-mem-size" => mem_size, "--zjit-call-threshold" => call_threshold}.compact
      end

      # Ruby 3.3 limits only the code, a third of its memory.
      def size(version)
        return {} unless mem_size
        return {"--yjit-mem-size" => mem_size} if version.limits_total?
        code_size = (mem_size / Jit::TOTAL_TO_CODE).floor
        {"--yjit-exec-mem-size" => [code_size, 1].max}
      end
    end
  end
end
