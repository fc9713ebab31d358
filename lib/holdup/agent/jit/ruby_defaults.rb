# frozen_string_literal: true

module Holdup
  module Jit
    # What a version of Ruby does unless it is told otherwise, and what it can be told while it runs. From the
    # sources of the releases (yjit/src/options.rs, doc/yjit/yjit.md): 64 MiB of code in 3.3.0, 48 MiB from
    # 3.3.1, 128 MiB in all from 3.4; `enable` takes a size and a threshold from 4.0.
    RubyDefaults = Data.define(:numbers) do
      # @param text [String] RUBY_VERSION
      # @return [RubyDefaults]
      def self.parse(text)
        new(numbers: text.split(".").map(&:to_i))
      end

      def at_least?(*others) = (numbers <=> others) >= 0

      # @return [Boolean] whether there is one limit for code and metadata together
      def limits_total? = at_least?(3, 4)

      # @return [Integer] MiB
      def default_size
        return 128 if limits_total?
        at_least?(3, 3, 1) ? 48 : 64
      end

      # @return [Boolean] whether `enable` takes mem_size and call_threshold
      def takes_options? = at_least?(4, 0)

      # @return [Boolean] whether failed compilations are counted in every build
      def counts_failures? = at_least?(3, 4)

      # @return [String] "3.3"
      def minor = numbers.first(2).join(".")

      # @return [Boolean] whether interpreted instructions are counted in every build
      def counts_interpreted? = !at_least?(4, 0)
    end
  end
end
