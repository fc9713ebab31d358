# frozen_string_literal: true

module Holdup
  module Store
    # Selects series. Names and queues are shell globs, but `*` also matches `/` and `::`.
    class SeriesFilter
      # @param queues [Array<String>, String, nil] globs; a series without a queue matches none
      # @param only [#series?, nil] a further condition
      def initialize(kinds: nil, names: nil, queues: nil, only: nil)
        @kinds = kinds && Array(kinds).map(&:to_sym)
        @names = names && Array(names)
        @queues = queues && Array(queues)
        @only = only
      end

      # Whether every series passes.
      def all?
        !(@kinds || @names || @queues || @only)
      end

      def match?(series)
        return false unless @kinds.nil? || @kinds.include?(series.kind)
        return false unless glob?(@names, series.name) && glob?(@queues, series.queue)
        @only.nil? || @only.series?(series)
      end

      private

      def glob?(globs, text)
        globs.nil? || (!text.nil? && globs.any? { |glob| File.fnmatch?(glob, text, File::FNM_DOTMATCH) })
      end
    end
  end
end
