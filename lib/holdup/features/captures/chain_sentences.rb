# frozen_string_literal: true

module Holdup
  module Captures
    # The chain of a request or job in sentences: "It waited 241 ms for the GVL: ReportsController#sales held
    # it 217 ms, in SalesReport#rows (sales_report.rb:30). ReportsController#sales itself waited ..."
    class ChainSentences
      # The answer above says already what was the reason of one wait.
      FEWEST = 2

      def initialize(scene, words:)
        @words = words
        @names = TimelineStory::Names.new(scene, words, whole: true)
        @meanwhile = Timeline::HolderTable::HolderMethods.new(scene)
        @chain = Timeline::UnitChain.new(scene)
      end

      # @param unit [Timeline::TimelineUnit]
      # @return [String, nil] nil where the one that it waited for did not wait itself
      def call(unit)
        own, *others = @chain.call(unit)
        return if others.size + 1 < FEWEST
        @words.sentences([sentence(own, :"timeline_chain_#{own.kind}"),
          *others.map { |link| sentence(link, :"timeline_chain_next_#{link.kind}") }])
      end

      private

      def sentence(link, key)
        part = link.parts.first
        @words.call(key, waiter: @names.unit(link.unit), wait: @names.time(link.ticks),
          holder: (@names.part(part) if part), held: @names.time(link.held), frame: frame(link))
      end

      # The method in which the holder was seen longest meanwhile.
      def frame(link)
        most = @meanwhile.call(link.parts).first if link.kind == :pair
        @names.frame(most.frame) if most
      end
    end
  end
end
