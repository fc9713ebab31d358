# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # The result of the thread calculator: the answer, a table, charts, and why well-known rules give other
    # numbers.
    class CalculationReport
      # @param timed [Boolean] whether the demand is in real time (otherwise only shares are shown)
      # @param arrivals [Open, nil] results for units that arrive at a rate
      # @param recorded [RecordedDemand, nil] what the demand was taken from
      def initialize(calculator, words: View::Words.new, timed: false, arrivals: nil, recorded: nil)
        @calculator = calculator
        @recorded = recorded
        @words = words
        @timed = timed
        @arrivals = arrivals
      end

      # @return [View::Page]
      def page
        answers = [*source, answer, *@arrivals&.answer].map { |text| View::Blocks::Lead.new(text:) }
        View::Page.new(title:, blocks: [*answers, section, charts, *@arrivals&.sections, notes])
      end

      def title
        word(:title, share: View::Figures.share(@calculator.demand.idle_share))
      end

      # @return [String] how many threads suffice, and what Amdahl's law says
      def answer
        best = @calculator.line(@calculator.recommended)
        word(answer_key, threads: best.threads, held: View::Figures.share(best.utilisation),
          amdahl: @calculator.amdahls,
          gain: View::Figures.share(@calculator.line(best.threads + 1).gain))
      end

      # @return [String, nil] whose times these are, where they were not given
      def source
        return unless @recorded
        demand = @recorded.demand
        word(:"recorded_#{@recorded.kind}", count: @recorded.count, acquisitions: demand.acquisitions,
          running: View::Figures.duration(demand.held_ns), idle: View::Figures.duration(demand.idle_ns))
      end

      # @return [View::Section] one row per number of threads
      def section
        columns = %i[threads speed_up gain amdahl amdahl_gain bound held
          stall].map { |key| word(key) } + (@timed ? [word(:response)] : [])
        View::Section.new(title: "", columns:, rows: lines.map { |line| row(line) },
          notes: @timed ? [] : [word(:stall_share)])
      end

      # @return [View::Blocks::InlineCharts]
      def charts
        CalculationCharts.new(@calculator, words: @words, timed: @timed).call
      end

      # @return [View::Blocks::Notes] why well-known rules give other numbers
      def notes
        keys = [:why, :stall_rule, *(@timed ? [:acquisitions] : []), :limits]
        View::Blocks::Notes.new(texts: keys.map { |key| word(key, **facts(key)) })
      end

      # @return [String] for programs; ends with a newline
      def json
        demand = @calculator.demand
        facts = {idle_share: demand.idle_share.round(4), recommended_threads: @calculator.recommended,
                 amdahl_threads: @calculator.amdahls, threads: lines.map { |line| figures(line) }}
        facts[:recorded] = recorded if @recorded
        facts[:open] = @arrivals.to_h if @arrivals
        "#{JSON.pretty_generate(facts)}\n"
      end

      private

      def answer_key
        return :answer_beyond unless @calculator.enough?
        (@calculator.recommended == 1) ? :answer_one : :answer
      end

      def recorded
        demand = @recorded.demand
        {kind: @recorded.kind, count: @recorded.count, running_ns: demand.held_ns.round,
         idle_ns: demand.idle_ns.round, acquisitions: demand.acquisitions}
      end

      def lines = @lines ||= @calculator.lines

      def word(key, **facts)
        @words.call(:"calculate_#{key}", **facts)
      end

      def row(line)
        mark = (line.threads == @calculator.recommended) ? " <-" : ""
        ["#{line.threads}#{mark}", times(line.speed_up), percent(line.gain), times(line.amdahl),
          percent(line.amdahl_gain),
          times(line.bound), View::Figures.share(line.utilisation), stall(line),
          *(@timed ? [View::Figures.duration(line.response_ns)] : [])]
      end

      # The stall is relative to the unit's own time if no real times are known.
      def stall(line)
        return View::Figures.duration(line.stall_ns) if @timed
        View::Figures.share(line.stall_ns / @calculator.demand.own_ns)
      end

      def times(value) = format("%.2fx", value)

      def percent(value)
        "#{View::Figures.change(value, 0)} %"
      end

      def facts(key)
        return {} unless key == :acquisitions
        line = @calculator.line(@calculator.recommended)
        {stall: View::Figures.duration(line.stall_ns), threads: line.threads,
         acquisitions: View::Figures.count(@calculator.demand.acquisitions),
         each: View::Figures.duration(line.stall_ns / @calculator.demand.acquisitions)}
      end

      def figures(line)
        {threads: line.threads, speed_up: line.speed_up.round(4), amdahl_speed_up: line.amdahl.round(4),
         bound: line.bound.round(4),
         gvl_utilisation: line.utilisation.round(4),
         stall_share: (line.stall_ns / @calculator.demand.own_ns).round(4),
         **(@timed ? {stall_ns: line.stall_ns.round, response_ns: line.response_ns.round} : {})}
      end

      # The result for units that arrive at a rate: one sentence, and the mean waits at each number of
      # threads.
      class Open
        def initialize(calculator, words: View::Words.new)
          @calculator = calculator
          @words = words
        end

        def answer
          return word(:unlike, cv2: View::Figures.rate(@calculator.demand.cv2)) unless @calculator.valid?
          best = @calculator.best or return word(:unserved, **asked,
            capacity: View::Figures.rate(@calculator.capacity))
          word(:answer, **asked, threads: best.threads, whole: duration(best.whole_ns),
            queued: duration(best.queued_ns), stall: duration(best.stall_ns))
        end

        # @return [Array<View::Section>] empty if no formula applies
        def sections
          return [] unless @calculator.valid?
          columns = [@words.call(:calculate_threads),
            *%i[capacity held queued stall whole].map { |key| word(key) }]
          [View::Section.new(title: word(:title, rate: asked[:rate]), columns:,
            rows: @calculator.lines.map { |line| row(line) }, notes: [word(:note)])]
        end

        # @return [Hash] for programs
        def to_h
          {rate_per_second: @calculator.rate, processes: @calculator.processes, vcpus: @calculator.vcpus,
           cv2: @calculator.demand.cv2, valid: @calculator.valid?,
           **(@calculator.valid? ? {recommended_threads: @calculator.best&.threads,
                                    threads: @calculator.lines.map { |line| figures(line) }} : {})}
        end

        private

        def word(key, **facts)
          @words.call(:"calculate_open_#{key}", **facts)
        end

        def asked
          {rate: View::Figures.rate(@calculator.rate), processes: @calculator.processes,
           vcpus: format("%g", @calculator.vcpus)}
        end

        def row(line)
          mark = (line == @calculator.best) ? " <-" : ""
          ["#{line.threads}#{mark}", View::Figures.rate(line.capacity), View::Figures.share(line.utilisation),
            *[line.queued_ns, line.stall_ns, line.whole_ns].map { |ns| duration(ns) }]
        end

        def duration(ns) = View::Figures.duration(ns)

        def figures(line)
          {threads: line.threads, capacity_per_second: line.capacity.round(3),
           gvl_utilisation: line.utilisation.round(4), queued_ns: line.queued_ns&.round,
           stall_ns: line.stall_ns&.round, response_ns: line.whole_ns&.round}
        end
      end
    end

    class CalculationReport
      # Throughput for each number of threads: the closed model, Amdahl's law and the upper bound; and the
      # stall.
      class CalculationCharts
        MODELS = {closed: :speed_up, amdahl: :amdahl, bound: :bound}.freeze

        # @param timed [Boolean] whether the demand is in real time (otherwise stall is a share of the unit's
        #   own)
        def initialize(calculator, words:, timed:)
          @calculator = calculator
          @words = words
          @timed = timed
        end

        def call
          best = @calculator.line(@calculator.recommended)
          titles = {speed_up: format("%.2fx", best.speed_up), held: View::Figures.share(best.utilisation),
                    stall: stall_text(stall_of(best))}.map { |name, value| title(name, value, best.threads) }
          charts = titles.zip([speed_up, held, stall]).to_h
          View::Blocks::InlineCharts.new(charts:, notes: [word(:chart_enough)], plotted: titles.first)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        # What the chart shows, and its value with as many threads as are enough.
        def title(name, value, threads)
          word(:calculate_chart_title, title: word(:"chart_#{name}"), value:, threads:)
        end

        def lines = @calculator.lines

        def stall_of(line) = @timed ? line.stall_ns : line.stall_ns / @calculator.demand.own_ns

        def stall_text(stall) = @timed ? View::Figures.duration(stall) : View::Figures.share(stall)

        def speed_up
          series = MODELS.map do |name, figure|
            View::Chart::Line.new(label: word(:"model_#{name}"), values: lines.map(&figure))
          end
          chart(:rate, series)
        end

        def held
          line = View::Chart::Line.new(label: word(:chart_held), values: lines.map(&:utilisation))
          chart(:share, [line], most: 1.0)
        end

        def stall
          values = lines.map { |line| stall_of(line) }
          chart(@timed ? :ns : :share, [View::Chart::Line.new(label: word(:chart_stall), values:)])
        end

        def chart(unit, series, **options)
          x = View::Chart::Axis.new(unit: :count, values: lines.map(&:threads))
          marks = [View::Chart::Mark.new(at: @calculator.recommended, label: "")]
          View::Chart.new(kind: :line, unit:, series:, x:, marks:, **options)
        end
      end
    end
  end
end
