# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require_relative "faults"

module Soak
  # One fault after the other in a storefront under load. Each time: what its processes finished is in the
  # store once, the application had no exception of ours, and the store is up to date again soon.
  class FaultRun
    RECOVERY_S = 30
    PATIENCE_S = 120
    STILL_S = 2

    # `begun`, `finished`: by the processes; `counted`: by Holdup; `failures`: lines of ours in the logs;
    # `unexpected`: answers that the shop does not intend; `recovery_s`: nil: not within PATIENCE_S;
    # `reason`: why it was left out
    FaultOutcome = Data.define(:name, :begun, :finished, :counted, :lost, :unexpected, :failures, :recovery_s,
      :reason) do
      def initialize(name:, begun: 0, finished: 0, counted: 0, lost: 0, unexpected: 0, failures: [],
        recovery_s: nil, reason: nil)
        super
      end

      # @return [Boolean] what a kill caught in the middle may be there or not
      def exact? = counted.between?(finished, begun)

      def quick? = !recovery_s.nil? && recovery_s <= RECOVERY_S

      def sound? = !!reason || (exact? && quick? && failures.empty? && unexpected.zero?)
    end

    # @param options [SoakOptions]
    def initialize(options, err: $stderr)
      @options = options
      @err = err
      @outcomes = []
    end

    # @return [Integer] exit status
    # @raise [Demo::Failure]
    def call
      with_shop do
        go_through(names)
      rescue Interrupt
        say "stopped; the faults so far follow"
      end
      report
      @outcomes.all?(&:sound?) ? 0 : 1
    end

    private

    def names
      unknown = @options.faults.map(&:to_sym) - Faults::ALL.keys
      if unknown.any?
        raise Demo::Failure, "no fault is called #{unknown.join(", ")}; there are " \
          "#{Faults::ALL.keys.join(", ")}"
      end
      chosen = @options.faults.empty? ? Faults::ALL.keys : @options.faults.map(&:to_sym)
      chosen.shuffle(random: Random.new(@options.seed))
    end

    def with_shop
      Demo::Jobs.with_redis do |redis|
        @folder = Dir.mktmpdir("holdup-soak-#{Process.pid}-")
        @shop = FaultShop.new(options: @options, redis:, parent: @folder)
        say "booting the storefront and Sidekiq with Holdup"
        @shop.boot
        yield
      ensure
        # A second Ctrl-C must not leave servers behind; stopping them is bounded.
        %w[INT TERM HUP].each { |signal| Signal.trap(signal, "IGNORE") }
        @shop&.stop
        FileUtils.rm_rf(@folder) if @folder
      end
    end

    def go_through(names)
      faults = Faults.new(@shop, @options)
      names.each_with_index do |name, index|
        wait(PATIENCE_S) { @shop.whole? }
        outcome = outcome_of(name, faults)
        @outcomes << outcome
        say "#{index + 1} of #{names.size}: #{Faults::ALL.fetch(name)}: #{verdict(outcome)}",
          *@shop.sayings.map { |line| "    #{line.strip}" }
      end
    end

    def outcome_of(name, faults)
      still
      before = @shop.units
      counted = @shop.counted
      failures = @shop.failures.size
      @shop.start_traffic
      pause(@options.calm)
      faults.inject(name)
      recovery_s = recovery(before, counted)
      pause(@options.calm)
      @shop.end_traffic
      still
      units = @shop.units - before
      wait(PATIENCE_S) { @shop.counted_now - counted >= units.finished }
      @shop.counted_now # a unit that counts twice would come with this round
      pause(@options.calm)
      FaultOutcome.new(name:, begun: units.begun, finished: units.finished, counted: @shop.counted - counted,
        lost: @shop.load.lost, unexpected: @shop.load.unexpected, failures: @shop.failures.drop(failures),
        recovery_s:)
    rescue Faults::NotHere => error
      @shop.end_traffic
      FaultOutcome.new(name:, reason: error.message)
    rescue Demo::Failure => failure
      @shop.end_traffic
      FaultOutcome.new(name:, failures: [failure.message])
    end

    # @return [Float, nil] seconds until the store has what was finished when the fault was over
    def recovery(before, counted)
      from = now
      finished = @shop.units.finished - before.finished
      (wait(PATIENCE_S) { @shop.counted - counted >= finished }) ? now - from : nil
    end

    # Nothing is begun any more.
    def still
      begun = nil
      since = now
      deadline = now + PATIENCE_S
      until now - since > STILL_S || now > deadline
        found = @shop.units.begun
        since = now if found != begun
        begun = found
        pause(0.1)
      end
    end

    def wait(seconds)
      deadline = now + seconds
      until (value = yield)
        return if now > deadline
        pause(0.5)
      end
      value
    end

    def report
      puts text
      File.write(@options.report, markdown) if @options.report
    end

    def text
      rows = @outcomes.map { |outcome| format(LINE, *cells(outcome)).rstrip }
      [format(LINE, *HEADERS), *rows, *troubles, ""].join("\n")
    end

    def markdown
      rows = @outcomes.map { |outcome| "| #{cells(outcome).join(" | ")} |" }
      ["| #{HEADERS.join(" | ")} |", "| --- | ---: | ---: | ---: | ---: | ---: |", *rows, ""].join("\n")
    end

    HEADERS = ["fault", "finished", "counted", "open", "failures", "recovery, s"].freeze
    LINE = "%-43s %8s %8s %4s %8s %s"
    private_constant :HEADERS, :LINE

    def cells(outcome)
      return [Faults::ALL.fetch(outcome.name), "–", "–", "–", "–", outcome.reason] if outcome.reason
      recovery = outcome.recovery_s ? format("%.1f", outcome.recovery_s) : "none"
      troubles = outcome.failures.size + outcome.unexpected
      [Faults::ALL.fetch(outcome.name), outcome.finished, outcome.counted, outcome.begun - outcome.finished,
        troubles, recovery].map(&:to_s)
    end

    def verdict(outcome)
      return outcome.reason if outcome.reason
      words = [counts(outcome)]
      words << (outcome.recovery_s ? format("up to date after %.1f s", outcome.recovery_s) : "not up to date")
      words << "#{outcome.failures.size} failures" if outcome.failures.any?
      words << "#{outcome.unexpected} unintended answers" if outcome.unexpected.positive?
      words.join(", ")
    end

    def counts(outcome)
      return "exact" if outcome.exact?
      "NOT exact (#{outcome.finished} finished, #{outcome.begun} begun, #{outcome.counted} counted)"
    end

    def troubles
      @outcomes.flat_map(&:failures).map { |line| "  #{line.strip}" }.first(20)
    end

    def pause(seconds) = IO.select(nil, nil, nil, seconds)

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def say(*lines) = @err.puts(*lines)
  end
end
