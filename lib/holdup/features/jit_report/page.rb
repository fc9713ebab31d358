# frozen_string_literal: true

module Holdup
  module JitReport
    # The JIT of each process: start, warm-up, memory, and what hinders it.
    class Page < View::PageBase
      include Advise::PageFindings

      COLUMNS = %i[process life_column life_by life_for life_warm life_effective life_memory life_full
        life_thrown].freeze

      def blocks
        return without_samples if lives.empty?
        lead = word(:life_lead, on: View::Figures.count(summary.jits.on.size),
          all: View::Figures.count(lives.size))
        [View::Blocks::Lead.new(text: lead), warm_up.block(query.limit), section(JitTable), lives_table,
          findings(word(:jit_findings), Features.rules(of: JitReport))].compact
      end

      def asks = []

      # @return [Hash{String => View::Chart}]
      def charts = warm_up.to_h

      private

      def warm_up
        @warm_up ||= WarmUpChart.new(lives, every_s: summary.jits.every_s, words: @words)
      end

      def without_samples
        [View::Blocks::Lead.new(text: word(:no_jit_samples)), *(last_data if summary.empty?), missing]
      end

      def parts(_summary) = [:samples]

      def lives = summary.jits.present

      def lives_table
        View::Section.new(title: word(:processes), columns: COLUMNS.map { |key| word(key) },
          rows: lives.first(query.limit).map { |life| row(life) }, notes: [word(:life_note)])
      end

      def row(life)
        facts = life.facts
        [names.call(life), View::Width.clean(facts.kind), switched_on_by(facts), age(life),
          seconds(life.warm_after_s), effect(facts), View::Figures.bytes(facts.memory_bytes),
          truth(facts.saturated), View::Figures.count(facts.invalidations)]
      end

      def switched_on_by(facts)
        facts.by ? View::Width.clean(@words.jit_fact(facts.by)) : View::Figures::NONE
      end

      def names
        @names ||= View::Charts::Processes::Names.new(lives, words: @words)
      end

      def age(life)
        since_ns = life.facts.since_ns
        since_ns ? seconds(life.last_s - since_ns / NS) : View::Figures::NONE
      end

      def seconds(number)
        View::Figures.duration(number && number * NS)
      end

      # With statistics it can't be tested.
      def effect(facts)
        (facts.effective.nil? && facts.deep?) ? word(:not_known_statistics) : truth(facts.effective)
      end

      def truth(value)
        word({true => :yes, false => :no}.fetch(value, :not_known))
      end
    end

    # JIT warm-up of processes by their age: interpreted share, compiled code, memory.
    class Page::WarmUpChart
      # Each figure of a life is a list of pairs: seconds since its start, and a value.
      FIGURES = {"warm_up" => [:count, :warm_up.to_proc],
                 "compiled" => [:count, ->(life) { ages(life, :jit_compiled_iseqs) }],
                 "jit_memory" => [:bytes, ->(life) { memory(life) }]}.freeze

      # @param key [Symbol] of samples
      # @return [Array<Array(Integer, Numeric)>] age in seconds, value
      def self.ages(life, key)
        life.trail.points(key).map { |at_s, value| [at_s - life.born_s, value] }
      end

      # The same figure as in the column "memory" of the processes.
      def self.memory(life)
        life.trail.points(:jit_code_bytes, :jit_alloc_bytes).map do |at_s, code_bytes, metadata_bytes|
          [at_s - life.born_s, JitMemory.new(code_bytes:, metadata_bytes:).memory_bytes]
        end
      end

      # @param lives [Array<Analysis::JitReport::ProcessLife>] the first ones are drawn
      # @param every_s [Integer] seconds between two samples of a process
      def initialize(lives, every_s:, words:)
        @lives = lives.select { |life| drawable?(life) }.first(View::Chart::LINES)
        @every_s = every_s
        @words = words
      end

      # @return [Hash{String => View::Chart}] figures for which some process has two samples
      def to_h
        drawn = FIGURES.select { |name, _| curves(name).any? { |curve| curve.size > 1 } }
        drawn.to_h { |name, (unit, _)| [name, chart(unit, curves(name))] }
      end

      # @param limit [Integer] rows
      def block(limit)
        charts = to_h
        return if charts.empty?
        titles = charts.to_h { |name, chart| [name, title(name, chart)] }
        twin = table(charts.keys, limit)
        View::Blocks::FetchedCharts.new(title: word(:chart_by_age), names: titles, twin:)
      end

      private

      def title(name, chart)
        View::Charts::TimeSeries::LatestAndPeak.titled(word(:"chart_#{name}"), chart, words: @words)
      end

      def word(key, **facts) = @words.call(key, **facts)

      def drawable?(life)
        FIGURES.values.any? { |_, read| read.call(life).size > 1 }
      end

      # For each life, by step of its age.
      def curves(name)
        @curves ||= {}
        @curves[name] ||= @lives.map do |life|
          FIGURES[name].last.call(life).to_h { |age_s, value| [age_s / @every_s * @every_s, value] }
        end
      end

      def chart(unit, curves)
        steps = Range.new(*curves.flat_map(&:keys).minmax).step(@every_s).to_a
        lines = @lives.zip(curves).map do |life, curve|
          View::Chart::Line.new(label: name(life), values: curve.values_at(*steps))
        end
        x = View::Chart::Axis.new(unit: :ns, values: steps.map { |age_s| age_s * NS })
        View::Chart.new(kind: :line, unit:, series: lines, x:)
      end

      def name(life)
        @names ||= View::Charts::Processes::Names.new(@lives, words: @words)
        @names.call(life)
      end

      def table(names, limit)
        columns = [word(:age), word(:process), *names.map { |name| word(:"chart_#{name}") }]
        rows = moments(names).map { |age_s, index| row(names, age_s, index) }
        hidden = rows.size - limit
        notes = hidden.positive? ? [word(:more_rows_here, count: View::Figures.count(hidden))] : []
        View::Section.new(title: word(:chart_by_age), columns:, rows: rows.first(limit), notes:)
      end

      # @return [Array<Array(Integer, Integer)>] age in seconds, and the index of the life
      def moments(names)
        all = names.flat_map do |name|
          curves(name).each_with_index.flat_map { |curve, index| curve.keys.map { |age_s| [age_s, index] } }
        end
        all.uniq.sort
      end

      def row(names, age_s, index)
        figures = names.map do |name|
          View::Figures.public_send(FIGURES[name].first, curves(name)[index][age_s])
        end
        [View::Figures.duration(age_s * NS), name(@lives[index]), *figures]
      end
    end
  end
end
