# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # How the JIT of processes got warm, by their age: what was still interpreted, what was compiled, what
      # it takes of memory.
      class WarmUp
        NS = 1_000_000_000
        LINES = 6
        # A figure of a life is pairs of seconds since it began and a value.
        FIGURES = {"warm_up" => [:count, :warm_up.to_proc], "compiled" => [:count, ->(life) { ages(life, :jit_compiled_iseqs) }],
                   "jit_memory" => [:bytes, ->(life) { ages(life, :jit_alloc_bytes) }]}.freeze

        # @param life [Analysis::JitReport::ProcessLife]
        # @param key [Symbol] of samples
        # @return [Array<Array(Integer, Numeric)>]
        def self.ages(life, key)
          life.trail.points(key).map { |at_s, value| [at_s - life.born_s, value] }
        end

        # @param lives [Array<Analysis::JitReport::ProcessLife>] those that come first are drawn
        # @param every_s [Integer] seconds between two samples of a process
        # @param words [View::Words]
        def initialize(lives, every_s:, words:)
          @lives = lives.select { |life| FIGURES.values.any? { |_, read| read.call(life).size > 1 } }.first(LINES)
          @every_s = every_s
          @words = words
        end

        # @return [Hash{String => Chart}] of those that two samples of some process tell of
        def to_h
          FIGURES.filter_map { |name, (unit, _)|
            [name, chart(unit, curves(name))] if curves(name).any? { |curve| curve.size > 1 }
          }.to_h
        end

        # @param limit [Integer] rows
        # @return [Block, nil]
        def block(limit)
          names = to_h.keys
          if names.any?
            Block.new(title: word(:chart_by_age),
              names: names.to_h { |name| [name, word(:"chart_#{name}")] }, twin: table(names, limit))
          end
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        # Of each life, by the step of its age.
        def curves(name)
          (@curves ||= {})[name] ||= @lives.map { |life|
            FIGURES[name].last.call(life).to_h { |age_s, value| [age_s / @every_s * @every_s, value] }
          }
        end

        def chart(unit, curves)
          steps = Range.new(*curves.flat_map(&:keys).minmax).step(@every_s).to_a
          lines = @lives.zip(curves).map { |life, curve| Chart::Line.new(label: name(life), values: curve.values_at(*steps)) }
          Chart.new(kind: :line, unit:, series: lines,
            x: Chart::Axis.new(unit: :ns, values: steps.map { |age_s| age_s * NS }))
        end

        def name(life)
          (@names ||= ProcessNames.new(@lives, words: @words)).call(life)
        end

        def table(names, limit)
          columns = [word(:age), word(:process), *names.map { |name| word(:"chart_#{name}") }].map { |text| Blocks::Column.new(text:) }
          rows = moments(names).map { |age_s, index| row(names, age_s, index) }
          notes = (rows.size > limit) ? [word(:more_rows_here,
            count: View::Figures.count(rows.size - limit))] : []
          Blocks::Table.new(title: word(:chart_by_age), columns:, rows: rows.first(limit), notes:)
        end

        def moments(names)
          names.flat_map { |name|
            curves(name).each_with_index.flat_map { |curve, index|
              curve.keys.map { |age_s|
                [
                  age_s, index
                ]
              }
            }
          }.uniq.sort
        end

        def row(names, age_s, index)
          [View::Figures.duration(age_s * NS), name(@lives[index]),
            *names.map { |name| View::Figures.public_send(FIGURES[name].first, curves(name)[index][age_s]) }]
        end
      end
    end
  end
end
