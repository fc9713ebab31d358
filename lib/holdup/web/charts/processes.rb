# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # What each process took over time, and the container of it all with the most that it can reach.
      class Processes
        # As many lines as differ at a glance: those that used most CPU.
        LINES = 6
        FIGURES = {"process_cpu" => [:cpu_share, :share], "memory" => [:rss_bytes, :bytes],
                   "busy" => [:busy, :rate], "gc" => [:gc_share, :share]}.freeze
        MACHINE = "machine"

        # @param processes [Analysis::ProcessReport]
        # @param words [View::Words]
        # @param span [Array(Integer, Integer), nil] to be drawn; nil: from the first sample to the last
        def initialize(processes, words:, span: nil)
          @processes = processes
          @span = span
          @course = processes.course
          @words = words
        end

        # @return [Boolean] whether there are two samples of any process
        def empty? = @course.lines.empty?

        # @return [Hash{String => Chart}] of those that are known
        def to_h
          charts = FIGURES.to_h { |name, (key, unit)| [name, chart(unit, @course, lines(key))] }
          {MACHINE => machine, **charts}.select { |_, chart| chart.series.any? }
        end

        # @param limit [Integer] rows
        # @param part [Blocks::SpanLink, nil] to the rest of the span
        # @return [Block]
        def block(limit, part: nil)
          names = to_h.keys.to_h { |name| [name, word(:"chart_#{name}")] }
          Block.new(title: word(:over_time), names:, twin: table(limit), part:)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def lines(key)
          known = @course.lines.select { |line| line.points.values.any? { |point| point.public_send(key) } }
          known.first(LINES).map { |line| Chart::Line.new(label: name(line), values: line.values(key, at_s)) }
        end

        def containers
          @containers ||= @processes.containers_course
        end

        def at_s = @at_s ||= steps(@course)

        def steps(course)
          @span ? course.steps(*@span) : course.at_s
        end

        def chart(unit, course, series, **options)
          Chart.new(kind: :line, unit:, series:, x: Chart::Axis.new(unit: :time, values: steps(course)),
**options)
        end

        def name(line) = names.call(line)

        def names
          @names ||= ProcessNames.new(@course.lines, words: @words, hosts: @processes.machines.size > 1)
        end

        # Those of which it is known how many CPUs they have.
        def machines
          @machines ||= @processes.machines.select(&:vcpus).to_h { |machine| [machine.host, machine] }
        end

        def machine
          lines = containers.lines.filter_map { |line| share(line, steps(containers)) }
          limits = (machines.size == 1) ? ceiling(machines.values.first) : []
          chart(:share, containers, lines, most: 1.0, limits:)
        end

        def share(line, steps)
          vcpus = machines[line.host]&.vcpus or return
          Chart::Line.new(label: names.host(line),
            values: line.values(:cpu_share, steps).map { |value| value && value / vcpus })
        end

        def ceiling(machine)
          found = machine.ceiling or return []
          [Chart::Mark.new(at: found.high,
            label: word(:chart_ceiling,
              range: View::CeilingSentence.new(found, words: @words).range))]
        end

        def table(limit)
          titles = [word(:moment), word(:process), *FIGURES.keys.map { |name| word(:"column_#{name}") }]
          Blocks::Table.new(title: word(:over_time),
            columns: titles.map { |text| Blocks::Column.new(text:) }, rows: told.first(limit).map { |at_s, line| row(at_s, line) }, notes: more(limit))
        end

        # The newest first.
        def told
          @told ||= [*containers.lines, *@course.lines]
            .flat_map { |line| line.points.keys.map { |at_s| [at_s, line] } }
            .sort_by.with_index { |(at_s, _), index| [-at_s, index] }
        end

        def row(at_s, line)
          [Moment.new(at_s:), name(line),
            *FIGURES.values.map { |key, unit| View::Figures.public_send(unit, line.points[at_s].public_send(key)) }]
        end

        def more(limit)
          (told.size > limit) ? [word(:more_rows_here,
            count: View::Figures.count(told.size - limit))] : []
        end
      end
    end
  end
end
