# frozen_string_literal: true

require "json"

module Holdup
  module Deaths
    # The deaths of a span as a page: a row for each.
    class Report
      # @param deaths [Array<Autopsy>] by time
      # @param limit [Integer, nil] rows, nil: all
      def initialize(deaths, from_s:, to_s:, words:, limit: nil)
        @deaths = deaths.reverse
        @from_s = from_s
        @to_s = to_s
        @words = words
        @limit = limit
      end

      # @return [View::Page]
      def page
        about = [View::Figures::Moments.span(@from_s, @to_s)]
        View::Page.new(title: @words.call(:title_deaths), about:, blocks:)
      end

      # @return [Array<Object>] Blocks
      def blocks
        return [View::Blocks::Lead.new(text: word(:none))] if @deaths.empty?
        [View::Blocks::Lead.new(text: [lead, *culprits].join(" "), level: :warn), table]
      end

      private

      def word(key, **facts) = @words.call(:"deaths_#{key}", **facts)

      def lead
        order = Autopsy::REASONS
        reasons = @deaths.map(&:reason).tally.sort_by { |reason, count| [-count, order.index(reason)] }
        parts = reasons.map do |reason, count|
          word(:count_of_reason, count: View::Figures.count(count), reason: word(:"short_#{reason}"))
        end
        word(:lead, count: View::Figures.count(@deaths.size), reasons: @words.list(parts))
      end

      # @return [Array<String>]
      def culprits
        RepeatedCulprits.new(@deaths.reverse).to_a.map do |culprit|
          word(:culprit, name: View::Width.clean(culprit.name), deaths: View::Figures.count(culprit.deaths),
            of: View::Figures.count(culprit.of), expected: format("%.1f", culprit.expected))
        end
      end

      def table
        shown = @limit ? @deaths.first(@limit) : @deaths
        more = @deaths.size - shown.size
        notes = [word(:one)]
        notes << @words.call(:more_rows_here, count: View::Figures.count(more)) if more.positive?
        View::Section.new(title: word(:table), columns:, rows: shown.map { |autopsy| row(autopsy) }, notes:)
      end

      def columns
        host, in_flight = %i[host in_flight].map do |key|
          View::Blocks::Column.new(text: word(key), optional: true)
        end
        suspect = View::Blocks::Column.new(text: word(:suspect), words: true)
        [word(:id), word(:at), word(:process), host, word(:how), in_flight, suspect]
      end

      def row(autopsy)
        sentences = DeathSentences.new(autopsy, words: @words)
        [autopsy.id, View::Blocks::Moment.new(at_s: autopsy.at_s), sentences.process,
          View::Width.clean(autopsy.host), word(:"short_#{autopsy.reason}"),
          View::Figures.count(autopsy.units.size), sentences.suspect]
      end
    end

    # The same for programs; docs/schema/deaths.json describes the keys.
    class Report::Json
      include View::Json::Values

      # @param deaths [Array<Autopsy>] by time
      def initialize(deaths, from_s:, to_s:, words:)
        @deaths = deaths
        @from_s = from_s
        @to_s = to_s
        @words = words
      end

      # @return [String] ends with a newline
      def call = "#{JSON.pretty_generate(to_h)}\n"

      def to_h
        {schema: View::Json::SCHEMA, from: time(@from_s), to: time(@to_s),
         culprits: RepeatedCulprits.new(@deaths).to_a.map { |culprit| culprit(culprit) },
         deaths: @deaths.map { |autopsy| death(autopsy) }}
      end

      private

      def culprit(culprit)
        {name: clean(culprit.name), deaths: culprit.deaths, of: culprit.of,
         expected: culprit.expected.round(2), probability: culprit.probability}
      end

      def death(autopsy)
        sentences = DeathSentences.new(autopsy, words: @words)
        {id: autopsy.id, host: clean(autopsy.host), pid: autopsy.pid, process: clean(autopsy.name),
         server: clean(autopsy.server), setting: autopsy.setting, began: time_of_ns(autopsy.since_ns),
         died: time_of_ns(autopsy.died_ns), last_seen: time_of_ns(autopsy.alive_ns),
         missed: time_of_ns(autopsy.gone_ns),
         last_round: time_of_ns(autopsy.last_round_ns), reason: autopsy.reason, status: autopsy.status,
         text: sentences.reason, gvl: clean(sentences.holder),
         in_flight: sentences.rows.map { |row| unit(row, sentences) }, in_flight_unknown: autopsy.beyond,
         memory: autopsy.memory.map { |sample| {at: time(sample[:at_s]), rss_bytes: sample[:rss_bytes]} },
         ended: autopsy.ended.map { |unit| ended(unit) }}
      end

      def unit(row, sentences)
        unit = row.unit
        {kind: unit.kind, name: clean(unit.name), queue: clean(unit.queue), pool: clean(unit.pool),
         thread: unit.thread, inside: row.outer && clean(row.outer.name), since: time_of_ns(unit.started_ns),
         elapsed_ns: row.elapsed_ns, state: unit.state, holds_gvl: unit.holder,
         state_ns: row.seen.lasted_ns, text: sentences.state(row), call: clean(unit.call),
         place: clean(Ps::SampledPlace.whole(unit.place)), process_objects: row.objects,
         trace_id: clean(unit.trace_id), request_id: clean(unit.request_id), job_id: clean(unit.job_id)}
      end

      def ended(unit)
        {kind: unit[:kind], name: clean(unit[:name]), began: time_of_ns(unit[:start_ns]),
         wall_ns: unit[:wall_ns]}
      end
    end
  end
end
