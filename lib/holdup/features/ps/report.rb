# frozen_string_literal: true

require "json"

module Holdup
  module Ps
    # What runs now, as a page: who holds the GVL, signs of a process that hangs, and a row for each request
    # and job.
    class Report
      # @param work [OpenWork]
      # @param longer_ns [Integer] only requests and jobs that have run for so long
      # @param limit [Integer, nil] rows, nil: all
      def initialize(work, words:, longer_ns: 0, limit: nil)
        @work = work
        @words = words
        @longer_ns = longer_ns
        @limit = limit
        @rows = work.rows(longer_ns:)
      end

      # @param about [Array<String>] host and time
      # @return [View::Page]
      def page(about: []) = View::Page.new(title: word(:title), about:, blocks:)

      # @return [Array<Object>] Blocks
      def blocks = [*holds, *signs, @rows.empty? ? nothing : table]

      private

      def word(key, **facts) = @words.call(:"ps_#{key}", **facts)

      def holds
        sentences = WorkSentences.new(words: @words)
        @work.holds.map do |hold|
          View::Blocks::Lead.new(text: sentences.hold(hold), level: hold.long? ? :warn : :plain)
        end
      end

      # What a hold says is above.
      def signs
        signs = @work.hung.reject { |sign| HungSigns::HOLDS.include?(sign.key) }
        texts = signs.map { |sign| View::CheckSentence.call(@words, sign.key, sign.facts) }
        texts.empty? ? [] : [View::Blocks::Notes.new(texts:, warning: true)]
      end

      def nothing
        processes = View::Figures.count(@work.processes.size)
        text = if @longer_ns.positive?
          word(:nothing_longer, longer: View::Figures.duration(@longer_ns), processes:)
        else
          word(:nothing, processes:)
        end
        View::Blocks::Lead.new(text:)
      end

      def table
        shown = @limit ? @rows.first(@limit) : @rows
        more = @rows.size - shown.size
        notes = more.positive? ? [@words.call(:more_rows_here, count: View::Figures.count(more))] : []
        View::Section.new(title: word(:table), columns:, rows: shown.map { |row| cells(row) }, notes:)
      end

      def columns
        optional = %i[thread objects].map { |key| View::Blocks::Column.new(text: word(key), optional: true) }
        [word(:name), word(:elapsed), word(:process), *optional,
          View::Blocks::Column.new(text: word(:state), words: true)]
      end

      def cells(row)
        [WorkSentences.name(row.unit), View::Figures.duration(row.elapsed_ns), process(row.process),
          row.unit.thread.to_s, View::Figures.short_count(row.objects),
          WorkSentences.new(words: @words).state(row)]
      end

      # "puma 4711", as other tables call a process.
      def process(process) = View::Width.clean("#{process.server || "pid"} #{process.pid}")
    end

    # What runs now, for programs; docs/schema/ps.json describes the keys.
    class Report::Json
      include View::Json::Values

      # @param work [OpenWork]
      def initialize(work, words:, longer_ns: 0)
        @work = work
        @words = words
        @longer_ns = longer_ns
      end

      # @return [String] ends with a newline
      def call = "#{JSON.pretty_generate(to_h)}\n"

      def to_h
        {schema: View::Json::SCHEMA, at: time_of_ns(@work.now_ns),
         processes: @work.processes.map { |process| process(process) },
         running: @work.rows(longer_ns: @longer_ns).map { |row| row(row) },
         hung: @work.hung.map { |sign| sign(sign) }}
      end

      private

      def process(process)
        hold = GvlHold.of(process, @work.now_ns)
        {pid: process.pid, name: process.name, server: clean(process.server), stopped: process.stopped,
         waiting: process.waiting.size, holder: hold && holder(hold)}
      end

      def holder(hold)
        {name: clean(hold.name), thread: hold.process.gvl.holder_thread, held_ns: hold.seen.lasted_ns,
         place: clean(SampledPlace.whole(hold.place)), seen_ago_ns: hold.seen.age_ns}
      end

      def row(row)
        unit = row.unit
        {kind: unit.kind, name: clean(unit.name), queue: clean(unit.queue), pool: clean(unit.pool),
         pid: row.process.pid, process: row.process.name, server: clean(row.process.server),
         thread: unit.thread, inside: row.outer && clean(row.outer.name),
         since: time_of_ns(unit.started_ns), elapsed_ns: row.elapsed_ns, **state(row),
         call: clean(unit.call), place: clean(SampledPlace.whole(unit.place)), process_objects: row.objects,
         trace_id: clean(unit.trace_id), request_id: clean(unit.request_id), job_id: clean(unit.job_id)}
      end

      def state(row)
        {state: row.unit.state, holds_gvl: row.unit.holder, state_ns: row.seen.lasted_ns,
         state_seen_ago_ns: row.seen.age_ns, text: WorkSentences.new(words: @words).state(row)}
      end

      def sign(sign)
        facts = sign.facts.transform_values { |fact| fact.is_a?(String) ? clean(fact) : fact }
        {key: sign.key, text: View::CheckSentence.call(@words, sign.key, sign.facts), facts:}
      end
    end
  end
end
