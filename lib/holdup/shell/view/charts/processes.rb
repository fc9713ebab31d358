# frozen_string_literal: true

module Holdup
  module View
    module Charts
      # CPU and memory of each process over time, and of the container with its limits.
      class Processes
        FIGURES = {"process_cpu" => [:cpu_share, :share], "memory" => [:rss_bytes, :bytes],
                   "busy" => [:busy, :rate], "gc" => [:gc_share, :share]}.freeze
        MACHINE = "machine"

        # @param span [Array(Integer, Integer), nil] to draw; nil: from the first sample to the last
        def initialize(processes, words:, span: nil)
          @processes = processes
          @span = span
          @series = processes.time_series
          @words = words
        end

        # @return [Boolean] whether no process has two samples
        def empty? = @series.lines.empty?

        def to_h
          charts = FIGURES.to_h { |name, (key, unit)| [name, chart(unit, @series, lines(key))] }
          {MACHINE => machine, **charts}.select { |_, chart| chart.series.any? }
        end

        # @param limit [Integer] rows
        # @param part [Blocks::SpanLink, nil] to the rest of the span
        def block(limit, part: nil)
          names = to_h.to_h { |name, chart| [name, title(name, chart)] }
          Blocks::FetchedCharts.new(title: word(:over_time), names:, twin: table(limit), part:)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        def title(name, chart)
          TimeSeries::LatestAndPeak.titled(word(:"chart_#{name}"), chart, words: @words)
        end

        def lines(key)
          known = @series.lines.select { |line| line.points.values.any? { |point| point.public_send(key) } }
          known.first(Chart::LINES).map do |line|
            Chart::Line.new(label: name(line), values: line.values(key, at_s))
          end
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

        # Those whose number of CPUs is known.
        def machines
          @machines ||= @processes.machines.select(&:vcpus).to_h { |machine| [machine.host, machine] }
        end

        def machine
          lines = containers.lines.filter_map { |line| share(line, steps(containers)) }
          limits = (machines.size == 1) ? ceiling(machines.values.first) : []
          chart(:share, containers, lines, most: 1.0, limits:)
        end

        # Of the CPUs that the container had then.
        def share(line, steps)
          latest = machines[line.host]&.vcpus or return
          values = steps.map do |at_s|
            point = line.points[at_s]
            point&.cpu_share && point.cpu_share / (point.vcpus || latest)
          end
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

        # Second and line of each sample, newest first.
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

        # Names of processes where several are shown. A process that replaced another, such as a restarted
        # worker, has the same name: then both names include the pid.
        class Names
          # @param hosts [Boolean] whether names include hosts
          def initialize(processes, words:, hosts: false)
            @hosts = hosts
            @words = words
            @counts = processes.map { |process| plain(process) }.tally
          end

          def call(process)
            name = plain(process)
            (@counts.fetch(name, 1) > 1) ? @words.call(:process_and_pid, name:, pid: process.pid) : name
          end

          # @return [String] of its host alone
          def host(process)
            @words.call(:host, name: Width.clean(process.host.to_s))
          end

          private

          def plain(process)
            name = own(process)
            return name unless @hosts
            @words.call(:process_of_host, host: Width.clean(process.host.to_s), process: name)
          end

          # The name with which a container is stored is English.
          def own(process)
            container = Analysis::ProcessReport::SampleTrail::CONTAINER
            return @words.call(:chart_container) if process.pid == container
            Width.clean([process.server, process.name].compact.join(" "))
          end
        end
      end
    end
  end
end
