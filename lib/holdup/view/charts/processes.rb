# frozen_string_literal: true

module Holdup
  module View
    module Charts
      # What each process took over time, and the container of it all with the most that it can reach.
      class Processes
        # As many lines as differ at a glance: those that used most CPU.
        LINES = 6
        FIGURES = {"process_cpu" => [:cpu_share, :share], "memory" => [:rss_bytes, :bytes],
                   "busy" => [:busy, :rate], "gc" => [:gc_share, :share]}.freeze
        MACHINE = "machine"

        # @param processes [Analysis::ProcessReport]
        # @param words [Words]
        # @param span [Array(Integer, Integer), nil] to be drawn; nil: from the first sample to the last
        def initialize(processes, words:, span: nil)
          @processes = processes
          @span = span
          @series = processes.time_series
          @words = words
        end

        # @return [Boolean] whether there are two samples of any process
        def empty? = @series.lines.empty?

        # @return [Hash{String => Chart}] of those that are known
        def to_h
          charts = FIGURES.to_h { |name, (key, unit)| [name, chart(unit, @series, lines(key))] }
          {MACHINE => machine, **charts}.select { |_, chart| chart.series.any? }
        end

        # @param limit [Integer] rows
        # @param part [Blocks::SpanLink, nil] to the rest of the span
        # @return [Blocks::FetchedCharts]
        def block(limit, part: nil)
          names = to_h.keys.to_h { |name| [name, word(:"chart_#{name}")] }
          Blocks::FetchedCharts.new(title: word(:over_time), names:, twin: table(limit), part:)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def lines(key)
          known = @series.lines.select { |line| line.points.values.any? { |point| point.public_send(key) } }
          known.first(LINES).map { |line| Chart::Line.new(label: name(line), values: line.values(key, at_s)) }
        end

        def containers
          @containers ||= @processes.container_time_series
        end

        def at_s = @at_s ||= steps(@series)

        def steps(series)
          @span ? series.steps(*@span) : series.at_s
        end

        def chart(unit, series, lines, **options)
          x = Chart::Axis.new(unit: :time, values: steps(series))
          Chart.new(kind: :line, unit:, series: lines, x:, **options)
        end

        def name(line) = names.call(line)

        def names
          @names ||= Names.new(@series.lines, words: @words, hosts: @processes.machines.size > 1)
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
          values = line.values(:cpu_share, steps).map { |value| value && value / vcpus }
          Chart::Line.new(label: names.host(line), values:)
        end

        def ceiling(machine)
          ceiling = machine.ceiling or return []
          range = Remarks::Ceiling.new(ceiling, words: @words).range
          [Chart::Mark.new(at: ceiling.high, label: word(:chart_ceiling, range:))]
        end

        def table(limit)
          columns = [word(:moment), word(:process), *FIGURES.keys.map { |name| word(:"column_#{name}") }]
          rows = samples.first(limit).map { |at_s, line| row(at_s, line) }
          Section.new(title: word(:over_time), columns:, rows:, notes: more(limit))
        end

        # Second and line of each sample, the newest first.
        def samples
          @samples ||= begin
            lines = [*containers.lines, *@series.lines]
            all = lines.flat_map { |line| line.points.keys.map { |at_s| [at_s, line] } }
            all.sort_by.with_index { |(at_s, _), index| [-at_s, index] }
          end
        end

        def row(at_s, line)
          point = line.points[at_s]
          figures = FIGURES.values.map { |key, unit| Figures.public_send(unit, point.public_send(key)) }
          [Blocks::Moment.new(at_s:), name(line), *figures]
        end

        def more(limit)
          hidden = samples.size - limit
          hidden.positive? ? [word(:more_rows_here, count: Figures.count(hidden))] : []
        end

        # How processes are called where several are shown. One that took another's place, such as a restarted
        # worker, has its name too: then both have their pid, to tell them apart.
        class Names
          # @param processes [Array<#host, #server, #name, #pid>]
          # @param words [Words]
          # @param hosts [Boolean] whether hosts are a part of it
          def initialize(processes, words:, hosts: false)
            @hosts = hosts
            @words = words
            @counts = processes.map { |process| plain(process) }.tally
          end

          # @param process [#host, #server, #name, #pid]
          # @return [String]
          def call(process)
            name = plain(process)
            (@counts.fetch(name, 1) > 1) ? "#{name} (pid #{process.pid})" : name
          end

          # @return [String] of its host alone
          def host(process)
            @words.call(:host, name: Width.clean(process.host.to_s))
          end

          private

          def plain(process)
            name = Width.clean([process.server, process.name].compact.join(" "))
            return name unless @hosts
            @words.call(:process_of_host, host: Width.clean(process.host.to_s), process: name)
          end
        end
      end
    end
  end
end
