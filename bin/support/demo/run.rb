# frozen_string_literal: true

require "fileutils"
require "shellwords"
require "tmpdir"
require_relative "advice_trial"
require_relative "checks"
require_relative "children"
require_relative "conclusion"
require_relative "cpu_time"
require_relative "dashboard"
require_relative "full_output"
require_relative "jobs"
require_relative "options"
require_relative "report"
require_relative "sending"
require_relative "shop_ledger"
require_relative "storefront"
require_relative "traffic"

module Demo
  # The demo from the first process to the last.
  class Run
    ROOT = File.expand_path("../../..", __dir__)

    # @param options [Options]
    # @param err [IO] for what goes on; standard output is the report's
    def initialize(options, err: $stderr)
      @options = options
      @err = err
      @sending = Sending.new(err:)
      @children = Children.new
      @output = FullOutput.new
    end

    # @return [Integer] exit status
    # @raise [Failure]
    def call
      with_redis { inside_folders { run } }
    end

    private

    def run
      boot
      json = measure
      show(json)
      failures = Checks.new(json, @counts).failures
      others
      trial = try_advice if @options.advice?
      failures |= trial.failures if trial
      tell(failures, unanswered: @unanswered + (trial&.unanswered || 0))
      conclude(json, trial)
      keep if @options.keep
      failures.empty? ? 0 : 1
    end

    def with_redis
      return yield unless @options.jobs
      Jobs.with_redis do |url|
        @redis = url
        yield
      end
    end

    # Segments belong on tmpfs; where there is none they go with the rest.
    def inside_folders
      @folder = Dir.mktmpdir("holdup-demo-#{Process.pid}-")
      @segments = Dir.mktmpdir("holdup-demo-#{Process.pid}-", File.writable?("/dev/shm") ? "/dev/shm" : nil)
      @env = {
        "HOLDUP_DIR" => @segments,
        "HOLDUP_REPEATED_QUERIES" => "10",
        "HOLDUP_STORE" => "sqlite://#{@options.store || "#{@folder}/holdup.sqlite3"}"
      }
      yield
    ensure
      # Whoever presses Ctrl-C twice must not leave servers behind; stopping them is bounded.
      %w[INT TERM HUP].each { |signal| Signal.trap(signal, "IGNORE") }
      @children.stop_all
      FileUtils.rm_rf([@folder, @segments].compact)
    end

    def boot
      workers = (Storefront.workers == 1) ? "1 worker" : "#{Storefront.workers} workers"
      say "booting the storefront: Rails in Puma, #{workers} x #{@options.threads.first} threads, YJIT"
      @ledger = ShopLedger.new(File.join(@folder, "ledger"))
      @storefront = Storefront.new(children: @children, folder: @folder, env: {**@env, **@ledger.env},
        config: Storefront::WARM)
      @storefront.boot(threads: @options.threads.first)
      boot_jobs if @redis
    end

    def boot_jobs
      say "booting Sidekiq with the shop's jobs: #{Jobs::THREADS} threads"
      jobs = Jobs.new(
        redis: @redis,
        children: @children,
        folder: @folder,
        env: @storefront.env,
        seed: @options.seed,
        most_waiting: Jobs::MOST_WAITING
      )
      jobs.start
      @sending = Sending.new(err: @err, around: jobs.method(:coming))
    end

    def measure
      @report = Report.new(env: @env, since: Time.now)
      @unanswered = 0
      before = CpuTime.now
      send_traffic
      @idle_share = before && CpuTime.now.idle_share(before)
      raise Failure, "the storefront died:" unless @storefront.alive?
      @counts = @ledger.when_idle { @ledger.endpoints }
      @report.wait_for(served) { |json| Checks.new(json, @counts).failures.empty? }
    rescue Failure => failure
      # What Holdup complained of stands in the server's log.
      raise Failure, "#{failure.message}\n#{@storefront.last_words}"
    end

    def served = @counts.each_value.sum(&:count)

    def send_traffic
      plan = Traffic.plan(@options, workers: Storefront.workers)
      outcomes = @sending.call(@storefront.url, Traffic.routes, plan, seed: @options.seed)
      @unanswered += outcomes.each_value.sum(&:lost)
    end

    # The same customers with other settings, to compare them.
    def others
      @options.threads.drop(1).each do |threads|
        say "", "the same with #{threads} threads: restarting the storefront"
        before = @ledger.endpoints
        @storefront.restart(threads:)
        report = Report.new(env: @env, since: Time.now)
        send_traffic
        counts = @ledger.when_idle { @ledger.since(before) }
        report.wait_for(counts.each_value.sum(&:count)) { true }
      end
    end

    def try_advice
      AdviceTrial.new(env: @env, folder: @folder, storefront: @storefront, ledger: @ledger,
        sending: Sending.new(err: @err), seed: @options.seed, output: @output, say: method(:say)).call
    end

    def show(json)
      return $stdout.write(json) if @options.json
      @report.print(@output)
    end

    def tell(failures, unanswered:)
      failures.each { |failure| say "false: #{failure}" }
      say "the reports have all requests that the shop served, and their sums come out" if failures.empty?
      say Customers.too_busy(unanswered) if unanswered.positive?
    end

    def conclude(json, trial)
      return if @options.json
      if trial
        figures = trial.to_h.slice(:advice, :before_ns, :after_ns)
        say "", *lines(Conclusion.new(json, idle_share: @idle_share, **figures).sentence)
      end
      say place_of_all
    end

    def place_of_all
      browser = "; in a browser: bin/demo --keep" unless @options.keep
      "all tables: #{@output.path}#{browser}"
    end

    # At most as wide as a narrow terminal.
    def lines(text) = text.scan(/\S.{0,78}\S(?=\s|$)|\S+/)

    def keep
      say "",
        "the dashboard is at #{Dashboard.new(children: @children, folder: @folder, env: @env).start}",
        <<~TEXT
          The storefront is still running, at #{@storefront.url}. In another terminal:
            cd #{ROOT.shellescape} && source bin/support/env.sh && use_ruby "$(find_ruby)"
            export #{@env.map { |key, value| "#{key}=#{value.shellescape}" }.join(" ")}
            bundle exec exe/holdup report
            bundle exec exe/holdup doctor
            curl #{@storefront.url}/reports/sales
          Ctrl-C here ends it.
        TEXT
      IO.select(nil, nil, nil, 1) while @storefront.alive?
      raise Failure, "the storefront died:\n#{@storefront.last_words}"
    end

    def say(*lines) = @err.puts(*lines)
  end
end
