# frozen_string_literal: true

require "fileutils"
require "json"
require "net/http"
require "tmpdir"
require_relative "shop_arm"
require_relative "soak_report"

module Soak
  # Two storefronts beside each other with the same traffic, one of them with all of Holdup.
  class SoakRun
    SAMPLE_S = 10
    SAY_S = 60
    # The control gets each request a little later, so that the two do not meet in the same moment.
    APART_S = 0.9
    PAGES = %w[overview endpoints jobs blame processes captures jit health].freeze

    # `at_s`: of the monotonic clock; `with`, `without`: figures of the two shops
    Sample = Data.define(:at_s, :with, :without)

    # @param options [SoakOptions]
    def initialize(options, err: $stderr)
      @options = options
      @err = err
      @samples = []
      @load_averages = []
      @pages = Hash.new(0)
    end

    # @return [Integer] exit status
    # @raise [Demo::Failure]
    def call
      with_arms do
        boot
        watch
        conclude
      end
    end

    private

    def with_arms(&)
      Demo::Jobs.with_redis do |one|
        Demo::Jobs.with_redis do |other|
          @folder = Dir.mktmpdir("holdup-soak-#{Process.pid}-")
          @with = ShopArm.new(measured: true, options: @options, redis: one, parent: @folder)
          @without = ShopArm.new(measured: false, options: @options, redis: other, parent: @folder)
          yield
        ensure
          # A second Ctrl-C must not leave servers behind; stopping them is bounded.
          %w[INT TERM HUP].each { |signal| Signal.trap(signal, "IGNORE") }
          [@with, @without].compact.each(&:stop)
          FileUtils.rm_rf(@folder) if @folder
        end
      end
    end

    def boot
      say "booting two storefronts: Puma, Sidekiq; one with Holdup, its collector and dashboard"
      [@with, @without].each(&:boot)
    end

    # Until the time is over, or Ctrl-C.
    def watch
      @started = now
      seconds = @options.minutes * 60
      @with.start_traffic(seconds, after_s: 0)
      @without.start_traffic(seconds, after_s: APART_S)
      look until now - @started > seconds
    rescue Interrupt
      say "", "stopped after #{minutes(now - @started)}; the report of what was seen follows"
      @stopped = true
    ensure
      @ended = now
    end

    def look
      [@with, @without].each(&:check)
      poll if due?(:poll, @options.poll)
      sample if due?(:sample, SAMPLE_S)
      print_figures if due?(:figures, SAY_S)
      IO.select(nil, nil, nil, 0.2)
    end

    # @return [Boolean] whether so many seconds have gone by since it was due last
    def due?(what, seconds)
      @due ||= {}
      return false if now < @due.fetch(what, @started + seconds)
      @due[what] = now + seconds
      true
    end

    def sample
      one = Sample.new(at_s: now, with: @with.figures, without: @without.figures)
      @samples << one
      @load_averages << File.read("/proc/loadavg").to_f
      return unless @options.samples
      File.write(@options.samples, "#{JSON.generate(one.to_h)}\n", mode: "a")
    end

    def poll
      path = PAGES[@pages.values.sum % PAGES.size]
      @pages[Net::HTTP.get_response(URI("#{@with.page}#{path}")).code] += 1
    rescue SystemCallError, Timeout::Error, EOFError
      @pages["none"] += 1
    end

    def print_figures
      figures = @samples.last&.with || {}
      say format("%s: %d answers, worker %.1f MB, collector %.1f MB, store %.1f MB",
        minutes(now - @started), @with.load.answers.size, mb(figures[:worker_pss]),
        mb(figures[:collector_rss]), mb(figures[:store_bytes]))
    end

    def conclude
      [@with, @without].each(&:end_traffic)
      say "waiting for the collector to store the last requests"
      whole = @with.stored_all?
      report = SoakReport.new(samples: @samples, loads: [@with.load, @without.load], facts: facts(whole))
      puts report.text
      File.write(@options.report, report.markdown) if @options.report
      (whole && report.sound?) ? 0 : 1
    end

    def facts(whole)
      {
        minutes: ((@ended - @started) / 60).round(1),
        stopped: !!@stopped,
        date: Time.now.strftime("%F"),
        load_averages: @load_averages,
        options: @options,
        sent: @with.sent,
        stored: @with.stored,
        whole:,
        pages: @pages,
        failures: @with.failures
      }
    end

    def mb(bytes) = bytes.to_f / 1e6

    def minutes(seconds) = format("%d:%02d min", *seconds.round.divmod(60))

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def say(*lines) = @err.puts(*lines)
  end
end
