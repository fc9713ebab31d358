# frozen_string_literal: true

module Holdup
  module Report
    # Why a request or job was slow, in sentences: "Waited 240 ms for the GVL: ReportsController#sales
    # (SalesReport#rows, sales_report.rb:30) held it 217 ms."
    class ChainSentence
      # Columns of a name.
      NAME = 60
      # Sentences in a table.
      BRIEF = 2

      def initialize(words)
        @words = words
      end

      # @param explained [Queries::SlowestUnitsQuery::ExplainedUnit]
      # @return [String, nil] with the time at which it began, and its id in logs where one is known; nil
      #   where it waited for little
      def line(explained)
        return unless explained.chain.any?
        unit, id = explained.slow.unit, explained.slow.id
        @words.call(id ? :chain_line_of : :chain_line, chain: call(explained.chain),
          at: View::Figures::Moments.at(unit.start_ns / NS, "%F %H:%M:%S"),
          wall: View::Figures.duration(unit.wall_ns), id: id && View::Width.clean(id))
      end

      # @param unit [UnitSample]
      # @param chain [Analysis::WaitChain, nil] nil where it is not known
      # @param brief [Boolean] whether there is room for BRIEF sentences only
      # @return [String] the chain, or else what took most of the time
      def cause(unit, chain, brief: false)
        return call(brief ? brief(chain) : chain) if chain&.any?
        times = {running: unit.running_ns, stalled: unit.stalled_ns, idle: unit.idle_ns}
        key, ns = times.max_by(&:last)
        @words.call(:"slow_#{key}", time: View::Figures.duration(ns),
          share: View::Figures.rounded_share(ns.fdiv([unit.wall_ns, 1].max)))
      end

      # @param chain [Analysis::WaitChain]
      # @return [String] at most five sentences
      def call(chain)
        own, *others = once(chain.links)
        sentences = [@words.call(:"chain_#{key(own)}", **facts(own))]
        sentences += others.map { |link| @words.call(:"chain_next_#{key(link)}", **facts(link)) }
        sentences.join(@words.call(:chain_joint))
      end

      private

      # That requests of one name wait for each other, too, is left to their own page.
      def brief(chain)
        own, *others = chain.links
        others.reject! { |link| link.holder == link.waiter }
        chain.with(links: [own, *others].first(BRIEF))
      end

      # A place has been said where a link before had it.
      def once(links)
        links.each_with_index.map do |link, index|
          said = link.place && links.first(index).any? { |other| other.place == link.place }
          said ? link.with(place: nil) : link
        end
      end

      # A wait during which no thread held the GVL, or for one that is not known, has a sentence of its own.
      def key(link)
        return link.kind if link.kind == :call
        nameless = Series::NAMELESS[link.holder]
        return :nobody if nameless == :nobody && link.kind == :pair
        (nameless == :unknown || link.held_ns.zero?) ? :unknown : link.kind
      end

      def facts(link)
        wait, held = [link.wait_ns, link.held_ns].map { |ns| View::Figures.duration(ns) }
        place = View::MainWait.line(link.place, @words) if link.place
        what = @words.call(:"chain_what_#{link.kind}") unless link.kind == :call
        {waiter: name(link.waiter), wait:, what:, holder: holder(link), held:, place:}
      end

      def holder(link)
        return @words.call(:chain_running) if link.holder.nil?
        return View::CalledSystem.text(*link.holder.split(" ", 2), words: @words) if link.kind == :call
        nameless = Series::NAMELESS[link.holder]
        nameless ? @words.call(:"party_#{nameless}") : name(link.holder)
      end

      def name(text)
        label = text.delete_prefix(Series::THREAD)
        shown = View::Width.truncate(View::Width.clean(label), NAME)
        (label == text) ? shown : @words.call(:account, name: shown)
      end
    end
  end
end
