# frozen_string_literal: true

require "fileutils"
require "shellwords"
require "tmpdir"
require_relative "advice"
require_relative "checks"
require_relative "children"
require_relative "dashboard"
require_relative "following"
require_relative "full_output"
require_relative "jobs"
require_relative "options"
require_relative "report"
require_relative "sending"
require_relative "storefront"

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
      status = verdict(json)
      others
      advise if @options.advice?
      say place_of_all unless @options.json
      keep if @options.keep
      status
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
      say "booting the storefront: Rails in Puma, #{ENV.fetch("STOREFRONT_WORKERS", 2)} workers x " \
        "#{@options.threads.first} threads, YJIT"
      @storefront = Storefront.new(children: @children, folder: @folder, env: @env)
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
        seed: @options.seed
      )
      jobs.start
      @sending = Sending.new(err: @err, around: jobs.method(:coming))
    end

    def measure
      @report = Report.new(env: @env, since: (started = Time.now))
      @advice = Advice.new(env: @env, folder: @folder, since: started, output: @output)
      @outcomes = send_traffic(@options.seconds)
      raise Failure, "the storefront died:" unless @storefront.alive?
      @report.wait_for(@outcomes.each_value.sum(&:answered)) do |json|
        Checks.new(json, @outcomes).failures.empty?
      end
    rescue Failure => failure
      # What Holdup complained of stands in the server's log.
      raise Failure, "#{failure.message}\n#{@storefront.last_words}"
    end

    def send_traffic(seconds) = @sending.call(@storefront.url, @options.with(seconds:))

    # The same traffic with other settings, to compare them.
    def others
      @options.threads.drop(1).each do |threads|
        say "", "the same with #{threads} threads: restarting the storefront"
        @storefront.restart(threads:)
        again
      end
    end

    # @return [Time] when the first unit was sent
    def again
      report = Report.new(env: @env, since: (started = Time.now))
      outcomes = send_traffic(@options.seconds)
      report.wait_for(outcomes.each_value.sum(&:answered)) { true }
      started
    end

    def advise = Following.new(advice: @advice, storefront: @storefront, say: method(:say)).call { again }

    def show(json)
      return $stdout.write(json) if @options.json
      @report.print(@output)
    end

    def verdict(json)
      failures = Checks.new(json, @outcomes).failures
      failures.each { |failure| say "wrong: #{failure}" }
      if failures.empty?
        say "all #{@outcomes.each_value.sum(&:count)} requests are in the report, and its sums " \
          "come out"
      end
      failures.empty? ? 0 : 1
    end

    def place_of_all
      browser = "; in a browser: bin/demo --keep" unless @options.keep
      "all of it: #{@output.path}#{browser}"
    end

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
