# frozen_string_literal: true

module Holdup
  module Deaths
    # All that is known of one death.
    class DeathDetails
      # @param autopsy [Autopsy]
      def initialize(autopsy, words:)
        @autopsy = autopsy
        @words = words
        @sentences = DeathSentences.new(autopsy, words:)
      end

      # @return [View::Page]
      def page
        View::Page.new(title: word(:one_title, process: @sentences.process), about: [@autopsy.id], blocks:)
      end

      # @return [View::Blocks::Fold] for a page that has several
      def fold
        title = word(:one_title, process: @sentences.process)
        View::Blocks::Fold.new(title: @words.list([title, @autopsy.id]), inner: blocks)
      end

      # @return [Array<Object>] Blocks
      def blocks
        lead = View::Blocks::Lead.new(text: @sentences.died, level: :warn)
        [lead, *holder, facts, in_flight, *memory, *ended]
      end

      private

      def word(key, **facts) = @words.call(:"deaths_#{key}", **facts)

      def holder
        text = @sentences.holder
        text ? [View::Blocks::Notes.new(texts: [text])] : []
      end

      def facts
        pairs = {word(:host) => View::Width.clean(@autopsy.host), word(:at) => moment(@autopsy.died_ns),
                 word(:last_seen) => moment(@autopsy.alive_ns), word(:missed) => moment(@autopsy.gone_ns),
                 word(:began) => moment(@autopsy.since_ns), word(:setting) => @autopsy.setting[0, 6]}
        View::Blocks::Facts.new(title: word(:facts), pairs:)
      end

      def moment(ns) = View::Blocks::Moment.new(at_s: ns / NS)

      def in_flight
        notes = []
        notes << word(:last_round, time: @sentences.last_round) if @autopsy.last_round_ns
        notes << word(:nothing_in_flight) if @autopsy.units.empty?
        notes << word(:beyond, count: View::Figures.count(@autopsy.beyond)) if @autopsy.beyond.positive?
        notes << word(:lost_jobs, jobs: @words.list(jobs)) unless jobs.empty?
        rows = @sentences.rows.map { |row| cells(row) }
        View::Section.new(title: word(:units), columns:, rows:, notes:)
      end

      # Those that a job runner does not start again by itself may have to be.
      def jobs
        found = @autopsy.units.select { |unit| unit[:kind] == :job && unit[:job_id] }
        found.map { |unit| View::Width.clean("#{unit[:name]} #{unit[:job_id]}") }
      end

      def columns
        optional = %i[thread objects].map { |key| View::Blocks::Column.new(text: word(key), optional: true) }
        [word(:name), word(:elapsed), *optional,
          View::Blocks::Column.new(text: word(:state), words: true)]
      end

      def cells(row)
        [@sentences.name(row), View::Figures.duration(row.elapsed_ns), row.unit.thread.to_s,
          View::Figures.short_count(row.objects), @sentences.state(row)]
      end

      def memory
        return [] if @autopsy.memory.empty?
        rows = @autopsy.memory.map do |sample|
          [View::Blocks::Moment.new(at_s: sample[:at_s]), View::Figures.bytes(sample[:rss_bytes])]
        end
        [View::Section.new(title: word(:memory), columns: [word(:moment), word(:rss)], rows:)]
      end

      def ended
        return [] if @autopsy.ended.empty?
        rows = @autopsy.ended.reverse.map do |unit|
          [View::Width.clean(unit[:name]), moment(unit[:start_ns]), View::Figures.duration(unit[:wall_ns])]
        end
        columns = [word(:name), word(:began_at), word(:took)]
        [View::Section.new(title: word(:ended), columns:, rows:)]
      end
    end
  end
end
