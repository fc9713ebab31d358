# frozen_string_literal: true

require "fileutils"
require "holdup/loader"
require "tmpdir"
require_relative "../demo/children"
require_relative "../demo/dashboard"
require_relative "../demo/jobs"
require_relative "../demo/storefront"
require_relative "kernel_figures"
require_relative "steady_load"

module Soak
  # One storefront with its Sidekiq and its customers; measured by Holdup, or not.
  class ShopArm
    THREADS = 3
    # Each process captures at most once a minute.
    CAPTURE = "wall > p99 x 2, every=60"
    PATIENCE_S = 60

    attr_reader :children, :folder, :load

    # @param measured [Boolean]
    # @param options [SoakOptions]
    # @param redis [String] its URL
    # @param parent [String] folder
    def initialize(measured:, options:, redis:, parent:)
      @measured = measured
      @options = options
      @redis = redis
      @folder = FileUtils.mkdir_p(File.join(parent, measured ? "with" : "without")).first
      @segments = make_segments if measured
      @children = Demo::Children.new
    end

    # @return [Hash{String => String}] for commands about this shop
    def env
      return {"HOLDUP_ENABLED" => "false"} unless @measured
      {
        "HOLDUP_ENABLED" => "true",
        "HOLDUP_DIR" => @segments,
        "HOLDUP_STORE" => store_url,
        "HOLDUP_CAPTURE" => CAPTURE
      }
    end

    # @return [void]
    # @raise [Demo::Failure]
    def boot
      @storefront = Demo::Storefront.new(children:, folder:, env:, config: puma_config)
      @storefront.boot(threads: THREADS)
      @jobs = Demo::Jobs.new(redis: @redis, children:, folder:, env: @storefront.env, seed: @options.seed,
        rate: @options.jobs, file: jobs_file)
      @jobs.start
      @page = Demo::Dashboard.new(children:, folder:, env:).start if @measured
    end

    # @return [String] address of the dashboard
    attr_reader :page

    # @param seconds [Numeric] of traffic
    # @param after_s [Numeric] before the first request
    def start_traffic(seconds, after_s:)
      @load = SteadyLoad.to(@storefront.url, @options, seconds:, after_s:)
      @thread = Thread.new { @jobs.coming { @load.run } }
      @thread.report_on_exception = false
    end

    # Sends nothing any more, and returns with the last answer.
    # @return [void]
    def end_traffic
      @load&.end_early
      @thread&.value
    end

    # @raise [Demo::Failure] it died
    def check
      %i[puma sidekiq].each do |name|
        raise Demo::Failure, "#{name} died:\n#{last_words}" unless children.alive?(name)
      end
      @thread.value unless @thread.alive?
    end

    def last_words = @storefront.last_words

    # @return [Hash{Symbol => Integer}] requests that were answered and jobs that were pushed
    def sent = {request: @load.answered, job: @jobs.pushed}

    # @return [Hash{Symbol => Integer}] requests and jobs in the store
    def stored
      store = Holdup::Store.open(store_url, read_only: true)
      counts = store.windows(0, 1 << 40, kinds: %i[request job], histograms: []).to_a
        .group_by { |window| window.series.kind }
      %i[request job].to_h { |kind| [kind, counts.fetch(kind, []).sum(&:count)] }
    rescue Holdup::StoreError
      {request: 0, job: 0}
    ensure
      store&.close
    end

    # @return [Boolean] whether the store has all that was sent, after a while
    def stored_all?
      deadline = now + PATIENCE_S
      until stored == sent
        return false if now > deadline
        Holdup::Segment::Directory.new(@segments).hurry
        IO.select(nil, nil, nil, 1)
      end
      true
    end

    # @return [Hash{Symbol => Numeric}] figures of its processes and files at this moment
    def figures
      workers = KernelFigures.workers(children.pid(:puma))
      own = {
        worker_pss: mean(workers) { |pid| KernelFigures.pss(pid) },
        worker_rss: mean(workers) { |pid| KernelFigures.rss(pid) },
        worker_descriptors: mean(workers) { |pid| KernelFigures.descriptors(pid) },
        worker_threads: mean(workers) { |pid| KernelFigures.threads(pid) },
        **figures_of(:sidekiq, children.pid(:sidekiq))
      }
      @measured ? own.merge(figures_of_holdup) : own
    end

    # @return [Array<String>] lines in the logs in which something of Holdup failed
    def failures
      Dir["#{folder}/*.log"].flat_map { |path| File.readlines(path).map(&:scrub) }.grep(OUR_FAILURES)
    end

    # What a guard logs, a backtrace that begins in our code, and a collector's error of a kind that it does
    # not know.
    OUR_FAILURES = %r{failed, the application is not affected|\A(\S*/)?lib/holdup\S*:\d+:in |collector failed}

    # @return [void] bounded
    def stop
      children.stop_all
      FileUtils.rm_rf(@segments) if @segments
    end

    private

    def puma_config = "config/puma.rb"

    def jobs_file = "./jobs.rb"

    def make_segments = Dir.mktmpdir("holdup-soak-#{Process.pid}-", shared_memory)

    def store_path = File.join(folder, "holdup.sqlite3")

    def store_url = "sqlite://#{store_path}"

    def shared_memory = File.writable?("/dev/shm") ? "/dev/shm" : nil

    def figures_of(name, pid)
      {
        "#{name}_rss": KernelFigures.rss(pid),
        "#{name}_descriptors": KernelFigures.descriptors(pid)
      }.compact
    end

    def figures_of_holdup
      workers = KernelFigures.workers(children.pid(:puma))
      {
        worker_files: mean(workers) { |pid| KernelFigures.mapped(pid, @segments, "Pss") },
        sidekiq_files: KernelFigures.mapped(children.pid(:sidekiq), @segments, "Rss"),
        **figures_of(:collector, leader),
        **figures_of(:dashboard, children.pid(:web)),
        segments: Dir["#{@segments}/*.segment"].size,
        segment_bytes: bytes("#{@segments}/*.segment"),
        store_bytes: bytes("#{store_path}*"),
        captures: Dir["#{folder}/captures/*"].size,
        capture_bytes: bytes("#{folder}/captures/*")
      }
    end

    # @return [Integer] pid of the collector that leads
    def leader
      File.read(File.join(@segments, Holdup::Segment::Directory::LOCK)).to_i
    rescue SystemCallError
      0
    end

    def bytes(pattern)
      Dir[pattern].sum do |path|
        File.size(path)
      rescue SystemCallError
        0
      end
    end

    def mean(pids, &)
      values = pids.filter_map(&)
      values.empty? ? nil : values.sum.fdiv(values.size)
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
