# frozen_string_literal: true

module Holdup
  module Stores
    # Which series a reader asked for. Names and queues are globs as in a shell, where `*` also matches `/` and `::`.
    class Filter
      # @param kinds [Array<Symbol>, Symbol, nil] nil for all
      # @param names [Array<String>, String, nil] globs
      # @param queues [Array<String>, String, nil] globs; a series without a queue matches none
      def initialize(kinds: nil, names: nil, queues: nil)
        @kinds = kinds && Array(kinds).map(&:to_sym)
        @names = names && Array(names)
        @queues = queues && Array(queues)
      end

      # @return [Boolean] whether everything passes
      def all? = !(@kinds || @names || @queues)

      # @param series [Series]
      # @return [Boolean]
      def match?(series)
        (@kinds.nil? || @kinds.include?(series.kind)) && glob?(@names, series.name) && glob?(@queues, series.queue)
      end

      private

      def glob?(globs, text)
        globs.nil? || (!text.nil? && globs.any? { |glob| File.fnmatch?(glob, text, File::FNM_DOTMATCH) })
      end
    end
  end
end
