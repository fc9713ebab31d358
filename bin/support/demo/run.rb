# frozen_string_literal: true

require "fileutils"
require "shellwords"
require "tmpdir"
require_relative "advice"
require_relative "checks"
require_relative "children"
require_relative "dashboard"
require_relative "options"
require_relative "report"
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
      @children = Children.new
    end

    # @return [Integer] exit status
    # @raise [Failure]
    def call
      inside_folders do
        boot
        json = measure
        show(json)
        status = verdict(json)
        advise if @options.advice?
        @options.keep ? keep : offer
        status
      end
    end

    private

    # Segments belong on tmpfs; where there is none they go with the rest.
    def inside_folders
      @folder = Dir.mktmpdir("holdup-demo-#{Process.pid}-")
      @segments = Dir.mktmpdir("holdup-demo-#{Process.pid}-", File.writable?("/dev/shm") ? "/dev/shm" : nil)
      @env = {"HOLDUP_DIR" => @segments, "HOLDUP_STORE" => "sqlite://#{@options.store || "#{@folder}/holdup.sqlite3"}"}
      yield
    ensure
      # Whoever presses Ctrl-C twice must not leave servers behind; stopping them is bounded.
      %w[INT TERM HUP].each { |signal| Signal.trap(signal, "IGNORE") }
      @children.stop_all
      FileUtils.rm_rf([@folder, @segments].compact)
    end

    def boot
      say "booting the storefront: Rails in Puma, #{ENV.fetch("STOREFRONT_WORKERS", 2)} workers x #{ENV.fetch("STOREFRONT_THREADS", 5)} threads, YJIT"
      @storefront = Storefront.new(children: @children, folder: @folder, env: @env)
      @storefront.boot
    end

    def measure
      @report = Report.new(env: @env, since: (started = Time.now))
      @advice = Advice.new(env: @env, folder: @folder, since: started)
      @outcomes = send_traffic(@options.advice? ? Advice.seconds(@options.seconds) : @options.seconds)
      raise Failure, "the storefront died:" unless @storefront.alive?
      say "waiting for the collector to store the last units"
      @report.wait_for(@outcomes.each_value.sum(&:answered)) { |json| Checks.new(json, @outcomes).failures.empty? }
    rescue Failure => failure
      # What Holdup complained of stands in the server's log.
      raise Failure, "#{failure.message}\n#{@storefront.last_words}"
    end

    def send_traffic(seconds)
      @sending = @options.with(seconds:)
      Traffic.send_to(@storefront.url, @sending, progress: method(:progress)).tap { progress_end }
    end

    # What is advised is done, and the same customers come again: then predicted stands beside measured.
    def advise
      say "", "holdup advise: what would be better for this traffic?"
      advice = @advice.print
      setting = Advice.followed(advice)
      return say((advice["verdict"] == "keep") ? "it is to stay as it is, so there is nothing to follow" : "there is no recommendation to follow") unless setting
      slice = ", a time slice of #{setting[:slice_ns] / 1_000_000} ms" if setting[:slice_ns]
      say "", "following it: restarting the storefront with #{setting[:workers]} workers x #{setting[:threads]} threads#{slice}"
      @storefront.restart(**setting)
      follow(Report.new(env: @env, since: Time.now), Time.now)
    end

    def follow(report, started)
      outcomes = send_traffic(@options.seconds)
      report.wait_for(outcomes.each_value.sum(&:answered)) { true }
      say "", "holdup advise --verify: has it come true?"
      @advice.verify(started)
    end

    def show(json)
      return $stdout.write(json) if @options.json
      raise Failure, "holdup report failed" unless @report.print
    end

    def verdict(json)
      failures = Checks.new(json, @outcomes).failures
      failures.each { |failure| say "wrong: #{failure}" }
      say "all #{@outcomes.each_value.sum(&:count)} requests are in the report, and its sums come out" if failures.empty?
      failures.empty? ? 0 : 1
    end

    def offer = @options.json || say("", "bin/demo --keep shows all of this in a browser")

    def keep
      say "", "the dashboard is at #{Dashboard.new(children: @children, folder: @folder, env: @env).start}", <<~TEXT
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

    def progress(state)
      line = format("sending traffic: %4.1f of %g s, %d answers, %d open", state.elapsed_s, Traffic.seconds(@sending), state.done, state.open)
      return @err.print("\r#{line}\e[K") if @err.tty?
      second = state.elapsed_s.to_i / 5
      @err.puts(line) if second != @announced
      @announced = second
    end

    def progress_end = @err.tty? && @err.puts

    def say(*lines) = @err.puts(*lines)
  end
end
