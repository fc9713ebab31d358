# frozen_string_literal: true

require "holdup/loader"
require "net/http"
require_relative "../../../bin/support/demo/children"
require_relative "app"
require_relative "changing_arrivals"
require_relative "connection_load"
require_relative "pages"

module Bench
  # The tracker in Puma with one setting of processes and threads, measured by Holdup. With a store its
  # collector writes what production would have; without, nothing carries the segments away, and an
  # experiment reads them itself.
  class TrackerServer
    COMMAND = [RbConfig.ruby, *Fresh::LOAD_PATH, Gem.bin_path("puma", "puma"), "-C", "config/puma.rb"].freeze
    # Connections for each thread when saturated: half of the requests wait.
    CROWD = 2
    # Room for every request of an experiment.
    RING = 32_768
    BOOT_S = 60
    # A setting that is too small for the open load needs as long again to answer all that waits.
    PATIENCE_S = 300
    POLL_S = 0.1

    # @return [Integer] threads of all its processes
    attr_reader :slots

    # @param app [TrackerApp]
    # @param segments [String] folder in memory
    # @param store [String, nil] the file for what is recorded
    # @yieldparam server [TrackerServer] that answers
    # @return [Object] the block's value; the server has ended, and its collector has written all
    # @raise [Failure]
    def self.run(app, processes:, threads:, segments:, store: nil)
      children = Demo::Children.new
      server = new(app, children, processes:, threads:)
      yield server.boot(segments, store)
    ensure
      children&.stop_all
    end

    def initialize(app, children, processes:, threads:)
      @app = app
      @children = children
      @size = {"WEB_CONCURRENCY" => processes.to_s, "RAILS_MAX_THREADS" => threads.to_s}
      @slots = processes * threads
      @port = FreePorts.take
      @log = File.join(app.folder, "#{processes}x#{threads}-#{@port}.log")
    end

    # @return [self]
    # @raise [Failure]
    def boot(segments, store)
      @pid = @children.start(:server, env(segments, store), *COMMAND, chdir: TrackerApp::ROOT, out: @log,
        err: @log)
      deadline = now + BOOT_S
      until answers?
        if !@children.alive?(:server) || now > deadline
          raise Failure, "the tracker does not answer:\n#{last_words}"
        end
        IO.select(nil, nil, nil, POLL_S)
      end
      self
    end

    # As many users as keep every thread busy.
    # @return [ConnectionLoad::ClosedAnswers]
    def saturate(seconds, seed: 1)
      ask(CROWD * slots, seconds, seed:)
    end

    # @param connections [Integer]
    # @return [ConnectionLoad::ClosedAnswers]
    def ask(connections, seconds, seed: 1)
      ConnectionLoad.call(@port, connections:, seconds:, seed:)
    end

    # @param arrivals [Enumerable<Holdup::Lab::Load::Arrivals::Arrival>]
    # @param seconds [Numeric] of sending
    # @return [Holdup::Lab::Load::OpenLoop::Seen]
    # @raise [Failure] when an answer was not as it should be
    def serve(arrivals, seconds)
      target = Holdup::Lab::Load::Target.new("http://127.0.0.1:#{@port}")
      load = Holdup::Lab::Load.new(target:, arrivals:, patience_s: PATIENCE_S)
      routes = load.run
      total = load.total or raise Failure, "the tracker got no request"
      if total.unexpected.positive?
        raise Failure, "the tracker failed #{total.unexpected} of #{total.count} requests:\n#{last_words}"
      end
      Holdup::Lab::Load::OpenLoop::Seen.new(total:, routes:, seconds: [load.elapsed_s, seconds].max)
    end

    # @return [Float] of its processes so far, without the collector
    def cpu_s
      Holdup::Lab::Child::ProcessTree.new(@pid).cpu_seconds { |command| !command.include?(" collect ") }
    end

    private

    def env(segments, store)
      holdup = {"HOLDUP_ENABLED" => "true", "HOLDUP_DIR" => segments, "HOLDUP_STORE" => store}
      holdup.update("HOLDUP_COLLECTOR" => "off", "HOLDUP_RING_SIZE" => RING.to_s) unless store
      {**@app.env, **@size, **holdup, "PORT" => @port.to_s}
    end

    def answers?
      timeouts = {open_timeout: 1, read_timeout: 10}
      answer = Net::HTTP.start("127.0.0.1", @port, **timeouts) { |http| http.get("/up") }
      answer.is_a?(Net::HTTPOK)
    rescue SystemCallError, Net::OpenTimeout, Net::ReadTimeout, EOFError
      false
    end

    def last_words = File.exist?(@log) ? File.readlines(@log).last(10).join : ""

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
