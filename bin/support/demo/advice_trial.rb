# frozen_string_literal: true

require_relative "advice"
require_relative "checks"
require_relative "customers"
require_relative "report"
require_relative "traffic"

module Demo
  # A setting that is plainly wrong, what Holdup advises, and whether that comes true: one worker has too few
  # threads for customers whose requests wait for other services nearly all the time. Since that takes little
  # CPU, the answer is the same on a machine with one CPU, with many, and beside other work.
  class AdviceTrial
    # A name of its own for these requests, so that they are not added to those of the first report.
    APP = "Shipping"
    WORKERS = 1
    THREADS = 2
    # More than threads: the rest of them waits.
    CUSTOMERS = 6
    # So that the number of connections is not what limits the threads.
    ENV = {"HOLDUP_APP" => APP, "STOREFRONT_CONNECTIONS" => "16"}.freeze
    # `holdup advise` needs 400 requests after the warm-up. Two threads serve six customers about 20 a second.
    BEFORE = LoadPlan.new(customers: CUSTOMERS, seconds: 23, answers: 480)
    AFTER = LoadPlan.new(customers: CUSTOMERS, seconds: 13, answers: 480)

    # `advice`: :kept, :missed, :keep, :unknown or :unverified; times in ns: the median answer, `after_ns` nil
    # where nothing was changed; `failures`: figures that are false; `unanswered`: requests without an answer
    AdviceTrialResult = Data.define(:advice, :before_ns, :after_ns, :failures, :unanswered)

    # @param env [Hash<String, String>]
    # @param folder [String]
    # @param storefront [Storefront]
    # @param ledger [ShopLedger]
    # @param sending [Sending]
    # @param seed [Integer] of the traffic
    # @param output [FullOutput]
    # @param say [#call] prints a line of progress
    def initialize(env:, folder:, storefront:, ledger:, sending:, seed:, output:, say:)
      @env = env
      @folder = folder
      @storefront = storefront
      @ledger = ledger
      @sending = sending
      @seed = seed
      @output = output
      @say = say
      @unanswered = 0
    end

    # @return [AdviceTrialResult]
    # @raise [Failure]
    def call
      started = begin_trial
      before = traffic(BEFORE)
      failures = failures()
      advice = Advice.new(env: @env, folder: @folder, app: APP, since: started, output: @output)
      @say.call("holdup advise: how many threads?")
      advised = advice.print
      setting = Advice.followed(advised)
      return result(advised["verdict"].to_sym, before, nil, failures) unless setting
      after = follow(setting) { |since| @since = since }
      failures |= failures()
      result(advice.verify(@since), before, after, failures)
    end

    private

    def begin_trial
      @say.call("a setting that is plainly wrong: #{WORKERS} worker x #{THREADS} threads, for " \
        "#{CUSTOMERS} customers who", "ask for shipping rates, which take 0.1 s from another service")
      @storefront.restart(workers: WORKERS, threads: THREADS, env: ENV)
      @counted = @ledger.endpoints
      started = Time.now
      @report = Report.new(env: @env, since: started, app: APP)
      started
    end

    def follow(setting)
      slice = ", time slice #{setting[:slice_ns] / 1_000_000} ms" if setting[:slice_ns]
      @say.call("as advised: restarting with #{setting[:workers]} x #{setting[:threads]}#{slice}, " \
        "then holdup advise --verify")
      @storefront.restart(**setting, env: ENV)
      yield Time.now
      traffic(AFTER)
    end

    # @return [Numeric] ns: half of the answers took less
    def traffic(plan)
      outcomes = @sending.call(@storefront.url, Traffic::RATES, plan, seed: @seed)
      @unanswered += outcomes.each_value.sum(&:lost)
      outcomes.values.max_by(&:count).p50_ns
    end

    # Of all requests since the trial began.
    def failures
      counts = @ledger.when_idle { @ledger.since(@counted) }
      served = counts.each_value.sum(&:count)
      json = @report.wait_for(served) { |text| Checks.new(text, counts).failures.empty? }
      Checks.new(json, counts).failures
    end

    def result(advice, before_ns, after_ns, failures)
      AdviceTrialResult.new(advice:, before_ns:, after_ns:, failures:, unanswered: @unanswered)
    end
  end
end
