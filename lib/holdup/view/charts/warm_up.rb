# frozen_string_literal: true

module Holdup
  module View
    module Charts
      # How the JIT of processes got warm, by their age: what was still interpreted, what was compiled, what
      # it takes of memory.
      class WarmUp
        NS = 1_000_000_000
        LINES = 6
        # A figure of a life is pairs of seconds since it began and a value.
        FIGURES = {"warm_up" => [:count, :warm_up.to_proc],
                   "compiled" => [:count, ->(life) { ages(life, :jit_compiled_iseqs) }],
                   "jit_memory" => [:bytes, ->(life) { ages(life, :jit_alloc_bytes) }]}.freeze

        # @param life [Analysis::JitReport::ProcessLife]
        # @param key [Symbol] of samples
        # @return [Array<Array(Integer, Numeric)>]
        def self.ages(life, key)
          life.trail.points(key).map { |at_s, value| [at_s - life.born_s, value] }
        end

        # @param lives [Array<Analysis::JitReport::ProcessLife>] those that come first are drawn
        # @param every_s [Integer] seconds between two samples of a process
        # @param words [Words]
        def initialize(lives, every_s:, words:)
          @lives = lives.select { |life| drawable?(life) }.first(LINES)
          @every_s = every_s
          @words = words
        end

        # @return [Hash{String => Chart}] of the figures that some process has two samples of
        def to_h
          drawn = FIGURES.select { |name, _| curves(name).any? { |curve| curve.size > 1 } }
          drawn.to_h { |name, (unit, _)| [name, chart(unit, curves(name))] }
        end

        # @param limit [Integer] rows
        # @return [Blocks::FetchedCharts, nil]
        def block(limit)
          names = to_h.keys
          return if names.empty?
          Blocks::FetchedCharts.new(title: word(:chart_by_age),
            names: names.to_h { |name| [name, word(:"chart_#{name}")] }, twin: table(names, limit))
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def drawable?(life)
          FIGURES.values.any? { |_, read| read.call(life).size > 1 }
        end

        # Of each life, by the step of its age.
        def curves(name)
          @curves ||= {}
          @curves[name] ||= @lives.map do |life|
            FIGURES[name].last.call(life).to_h { |age_s, value| [age_s / @every_s * @every_s, value] }
          end
        end

        def chart(unit, curves)
          steps = Range.new(*curves.flat_map(&:keys).minmax).step(@every_s).to_a
          lines = @lives.zip(curves).map do |life, curve|
            Chart::Line.new(label: name(life), values: curve.values_at(*steps))
          end
          x = Chart::Axis.new(unit: :ns, values: steps.map { |age_s| age_s * NS })
          Chart.new(kind: :line, unit:, series: lines, x:)
        end

        def name(life)
          @names ||= Processes::Names.new(@lives, words: @words)
          @names.call(life)
        end

        def table(names, limit)
          columns = [word(:age), word(:process), *names.map { |name| word(:"chart_#{name}") }]
          rows = moments(names).map { |age_s, index| row(names, age_s, index) }
          hidden = rows.size - limit
          notes = hidden.positive? ? [word(:more_rows_here, count: Figures.count(hidden))] : []
          Section.new(title: word(:chart_by_age), columns:, rows: rows.first(limit), notes:)
        end

        # @return [Array<Array(Integer, Integer)>] age in seconds, and the place of the life
        def moments(names)
          all = names.flat_map do |name|
            curves(name).each_with_index.flat_map { |curve, index| curve.keys.map { |age_s| [age_s, index] } }
          end
          all.uniq.sort
        end

        def row(names, age_s, index)
          figures = names.map do |name|
            Figures.public_send(FIGURES[name].first, curves(name)[index][age_s])
          end
          [Figures.duration(age_s * NS), name(@lives[index]), *figures]
        end
      end
    end
  end
end
