# frozen_string_literal: true

require "json"

module Holdup
  module View
    # The result of the thread calculator for a terminal or a program: the answer, a table, a plot, and why
    # well-known rules give other numbers.
    class Calculation
      AMDAHL = "a"
      BOUND = ":"
      CLOSED = "#"
      MARGIN = 5

      # @param width [Integer] columns
      # @param table_width [Numeric] columns of tables; Layout::WHOLE cuts no name
      # @param timed [Boolean] whether the demand is in real time (otherwise only shares are shown)
      # @param arrivals [Open, nil] results for units that arrive at a rate
      def initialize(calculator, words: Words.new, width: 80, table_width: width, style: Style.none,
        timed: false, arrivals: nil)
        @calculator = calculator
        @words = words
        @width = width
        @style = style
        @timed = timed
        @arrivals = arrivals
        @layout = Layout.new(width:, style:, table_width:)
      end

      # @return [String] ends with a newline
      def call
        "#{[*head, "", *table, "", *plot, *opened, "", *notes].join("\n")}\n"
      end

      def title
        word(:title, share: Figures.share(@calculator.demand.idle_share))
      end

      # @return [String] how many threads suffice, and what Amdahl's law says
      def answer
        best = @calculator.line(@calculator.recommended)
        word(answer_key, threads: best.threads, held: Figures.share(best.utilisation),
          amdahl: @calculator.amdahls,
          gain: Figures.share(@calculator.line(best.threads + 1).gain))
      end

      # @return [Section] one row per number of threads
      def section
        columns = %i[threads speed_up gain amdahl amdahl_gain bound held
          stall].map { |key| word(key) } + (@timed ? [word(:response)] : [])
        Section.new(title: "", columns:, rows: lines.map { |line| row(line) },
          notes: @timed ? [] : [word(:stall_share)])
      end

      # @return [Array<String>] why well-known rules give other numbers
      def reasons
        [:why, :stall_rule, *(@timed ? [:acquisitions] : []), :limits].map { |key| word(key, **facts(key)) }
      end

      # @return [String] for programs; ends with a newline
      def json
        demand = @calculator.demand
        facts = {idle_share: demand.idle_share.round(4), recommended_threads: @calculator.recommended,
                 amdahl_threads: @calculator.amdahls, threads: lines.map { |line| figures(line) }}
        facts[:open] = @arrivals.to_h if @arrivals
        "#{JSON.pretty_generate(facts)}\n"
      end

      private

      def answer_key
        return :answer_beyond unless @calculator.enough?
        (@calculator.recommended == 1) ? :answer_one : :answer
      end

      def lines = @lines ||= @calculator.lines

      def word(key, **facts)
        @words.call(:"calculate_#{key}", **facts)
      end

      def head
        [@style.paint(title, :bold), "", *@layout.bold(answer),
          *(@layout.bold(@arrivals.answer) if @arrivals)]
      end

      def table
        section.then { |section|
          @layout.table(section) + section.notes.flat_map { |note| @layout.lines(note) }
        }
      end

      def opened
        @arrivals ? @arrivals.sections.flat_map { |section| @layout.section(section) } : []
      end

      def row(line)
        mark = (line.threads == @calculator.recommended) ? " <-" : ""
        ["#{line.threads}#{mark}", times(line.speed_up), percent(line.gain), times(line.amdahl),
          percent(line.amdahl_gain),
          times(line.bound), Figures.share(line.utilisation), stall(line),
          *(@timed ? [Figures.duration(line.response_ns)] : [])]
      end

      # Without real times: relative to the unit's own time.
      def stall(line)
        @timed ? Figures.duration(line.stall_ns) : Figures.share(line.stall_ns / @calculator.demand.own_ns)
      end

      def times(value) = format("%.2fx", value)

      def percent(value)
        "#{Figures.change(value, 0)} %"
      end

      def plot
        room = @width - MARGIN - 8
        scale = room / lines.map(&:bound).max
        [word(:plot, closed: CLOSED, amdahl: AMDAHL, bound: BOUND), *lines.map { |line| bar(line, scale) }]
      end

      def bar(line, scale)
        cells = CLOSED * (line.speed_up * scale).round
        cells = cells.ljust((line.bound * scale).round).tap { |text|
          text[[(line.bound * scale).round - 1, 0].max] = BOUND
        }
        cells[[(line.amdahl * scale).round - 1, 0].max] = AMDAHL
        "#{line.threads.to_s.rjust(MARGIN - 2)} |#{cells}"
      end

      def notes
        reasons.flat_map { |reason| ["", *@layout.lines(reason)] }.drop(1)
      end

      def facts(key)
        return {} unless key == :acquisitions
        line = @calculator.line(@calculator.recommended)
        {stall: Figures.duration(line.stall_ns), threads: line.threads,
         acquisitions: Figures.count(@calculator.demand.acquisitions),
         each: Figures.duration(line.stall_ns / @calculator.demand.acquisitions)}
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
        def initialize(calculator, words: Words.new)
          @calculator = calculator
          @words = words
        end

        def answer
          return word(:unlike, cv2: Figures.rate(@calculator.demand.cv2)) unless @calculator.valid?
          best = @calculator.best or return word(:unserved, **asked,
            capacity: Figures.rate(@calculator.capacity))
          word(:answer, **asked, threads: best.threads, whole: duration(best.whole_ns),
            queued: duration(best.queued_ns), stall: duration(best.stall_ns))
        end

        # @return [Array<Section>] empty if no formula applies
        def sections
          return [] unless @calculator.valid?
          columns = [@words.call(:calculate_threads),
            *%i[capacity held queued stall whole].map { |key| word(key) }]
          [Section.new(title: word(:title, rate: asked[:rate]), columns:,
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
          {rate: Figures.rate(@calculator.rate), processes: @calculator.processes,
           vcpus: format("%g", @calculator.vcpus)}
        end

        def row(line)
          mark = (line == @calculator.best) ? " <-" : ""
          ["#{line.threads}#{mark}", Figures.rate(line.capacity), Figures.share([line.utilisation, 1.0].min),
            *[line.queued_ns, line.stall_ns, line.whole_ns].map { |ns| duration(ns) }]
        end

        def duration(ns) = Figures.duration(ns)

        def figures(line)
          {threads: line.threads, capacity_per_second: line.capacity.round(3),
           gvl_utilisation: line.utilisation.round(4), queued_ns: line.queued_ns&.round,
           stall_ns: line.stall_ns&.round, response_ns: line.whole_ns&.round}
        end
      end
    end
  end
end
