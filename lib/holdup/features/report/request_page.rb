# frozen_string_literal: true

module Holdup
  module Report
    # One request or job: why it was slow, where its time went, and its capture. Its address says which it is,
    # whatever span is chosen.
    class RequestPage < View::PageBase
      include HostCaptures

      # ns since 1970, and those of a duration.
      MOMENTS = 0..(1 << 62)
      PIDS = 1..(1 << 31)
      # Of one name and minute.
      MOST = 1000

      # @param unit [UnitSample]
      # @return [Hash{String => String}] parameters of its page
      def self.params(unit)
        series = unit.series
        {"unit" => series.name, "kind" => series.kind.to_s, "in" => series.queue,
         "at" => unit.start_ns.to_s, "took" => unit.wall_ns.to_s, "pid" => unit.process&.pid&.to_s}.compact
      end

      # @raise [UsageError] if the address does not say which request
      def initialize(...)
        super
        raise View::InputError.new(:unit_unnamed) unless query["unit"]
        @start_ns, @wall_ns = [number("at", MOMENTS), number("took", MOMENTS)]
        @pid = query["pid"] && number("pid", PIDS)
      end

      def span? = false

      def exports = %w[md]

      def title
        name = [query["unit"], query["in"] && "[#{query["in"]}]"].compact.join(" ")
        View::Width.truncate(View::Width.clean(name), View::Html::Helpers::Markup::NAME)
      end

      def blocks
        return [gone, links] unless unit
        [View::Blocks::Lead.new(text: lead), bars, facts, capture, links].compact
      end

      private

      def number(name, range) = Queries::OptionValues.whole(name, query[name].to_s, range)

      def filter
        query.filter(name: Analysis::UnitFilter.glob_of(query["unit"]), queue: query["in"])
      end

      # @return [SlowUnit, nil] nil where it is not one of those kept with what they waited for
      def slow
        return @slow if defined?(@slow)
        kept = Queries::SlowestUnitsQuery.units(store, from_s: minute_s, to_s: minute_s + MINUTE_S, filter:,
          most: MOST)
        @slow = kept.find { |one| same?(one.unit) }
      end

      def minute_s = (@start_ns + @wall_ns) / NS / MINUTE_S * MINUTE_S

      # @return [UnitSample, nil] nil where it is no longer kept
      def unit
        @unit ||= slow&.unit || store.unit_samples(@start_ns / NS, @start_ns / NS + 1)
          .find { |one| filter.series?(one.series) && same?(one) }
      end

      def same?(unit) = unit.start_ns == @start_ns && (@pid.nil? || unit.process&.pid == @pid)

      def gone = View::Blocks::Lead.new(text: word(:request_gone))

      def lead
        chain = Queries::SlowestUnitsQuery.chain(store, slow) if slow
        word(:request_lead, wall: duration(unit.wall_ns), why: ChainSentence.new(@words).cause(unit, chain))
      end

      def bars
        states = slow ? AverageAndSlow.states_of_slow(slow) : AverageAndSlow.states_of_sample(unit)
        mean = AverageAndSlow::MeanUnit.new(count: 1, states:)
        means = {word(:request_bar, each: duration(unit.wall_ns)) => mean}
        AverageAndSlow.new(means, title: word(:states), words: @words).block
      end

      def facts
        durations = {histogram_queued: unit.queued_ns, histogram_longest_hold: unit.longest_hold_ns}
        pairs = {word(:started) => View::Blocks::Moment.new(at_s: unit.start_ns / NS, seconds: true),
                 **durations.to_h { |key, ns| [word(key), duration(ns)] },
                 word(:acquisitions_each) => View::Figures.count(unit.acquisitions),
                 word(:in_flight) => View::Figures.rate(unit.in_flight),
                 word(:process) => process, **id, **trace}
        View::Blocks::Facts.new(title: word(:request_facts), pairs:)
      end

      def process
        host = View::Width.clean(unit.host)
        pid = unit.process&.pid
        pid ? word(:process_of_host, host:, process: "pid #{pid}") : word(:host, name: host)
      end

      def id = slow&.id ? {word(:slow_id) => View::Width.clean(slow.id)} : {}

      def trace = unit.trace ? {word(:trace) => View::Width.clean(unit.trace)} : {}

      # The capture that has it, or how to get one of the next.
      def capture
        kept = CapturedUnit.find(unit, captures)
        return Web::Pages::Controls::Links.new(title: nil, links: [CapturedUnit.link(kept, @words)]) if kept
        CapturedUnit.command(wall_ns: unit.wall_ns, stalled_ns: unit.stalled_ns, words: @words)
      end

      def links
        since, till = [minute_s, minute_s + MINUTE_S].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
        minute = View::Blocks::Link.new(text: word(:request_minute), page: "slowest",
          params: {"since" => since, "until" => till})
        endpoint = View::Blocks::Link.new(text: word(:request_endpoint), page: "endpoint",
          params: query.all.slice("unit", "kind", "in"))
        Web::Pages::Controls::Links.new(title: nil, links: [minute, endpoint])
      end

      def duration(ns) = View::Figures.duration(ns)
    end
  end
end
