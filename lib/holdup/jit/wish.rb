# frozen_string_literal: true

module Holdup
  module Jit
    # What `config.jit` asks for: nil leaves the JIT alone, :off wants none, :on wants YJIT once the application is
    # loaded, and a Hash the same with a size or a threshold.
    #
    # - `action`: nil, :off or :on; `mem_size`: MiB for code and metadata together; `call_threshold`: calls
    Wish = Data.define(:action, :mem_size, :call_threshold) do
      # @param value [Symbol, Hash, nil] of the configuration, checked there
      # @return [Wish]
      def self.from(value)
        return new(action: value) unless value.is_a?(Hash)
        new(action: :on, **value.slice(:mem_size, :call_threshold))
      end

      def initialize(action: nil, mem_size: nil, call_threshold: nil) = super

      def on? = action == :on

      def off? = action == :off

      # @param version [Version]
      # @return [Hash{Symbol => Integer}] what `enable` can be told
      def arguments(version) = version.takes_options? ? given : {}

      # The options that this Ruby takes only when it starts, and that it was not started with.
      # @param version [Version]
      # @param options [Options]
      # @return [String, nil] what RUBYOPT must hold; nil when nothing is missing
      def rubyopt(version, options)
        return if version.takes_options?
        missing = wanted(version).reject { |name, value| options.number(name) == value }
        ["--yjit-disable", *missing.map { |name, value| "#{name}=#{value}" }].join(" ") unless missing.empty?
      end

      private

      def given = {mem_size:, call_threshold:}.compact

      def wanted(version) = {**size(version), "--yjit-call-threshold" => call_threshold}.compact

      # Ruby 3.3 limits the code alone, which is a third of what it makes.
      def size(version)
        return {} unless mem_size
        version.limits_total? ? {"--yjit-mem-size" => mem_size} : {"--yjit-exec-mem-size" => [(mem_size / Jit::TOTAL_TO_CODE).floor, 1].max}
      end
    end
  end
end
