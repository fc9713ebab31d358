# frozen_string_literal: true

require "holdup/loader"
require_relative "../../../bin/support/demo/children"
require_relative "../tracker/app"

module Bench
  # A job runner of the tracker with queues that are full, measured by Holdup. With a store its collector
  # writes what production would have; without, nothing carries the segments away, and an experiment reads
  # them itself.
  class JobRunner
    SIDEKIQ = [RbConfig.ruby, *Fresh::LOAD_PATH, Gem.bin_path("sidekiq", "sidekiq"), "-r", "."].freeze
    SOLID_QUEUE = [RbConfig.ruby, *Fresh::LOAD_PATH, "bin/jobs"].freeze
    # Room for every job of an experiment.
    RING = 32_768
    BOOT_S = 60
    POLL_S = 0.1

    # @param app [TrackerApp]
    # @param command [Array<String>] in its folder
    # @param segments [String] folder in memory
    # @param store [String, nil] the file for what is recorded
    # @yieldparam runner [JobRunner] that has done a job
    # @return [Object] the block's value; the runner has ended, and its collector has written all
    # @raise [Failure]
    def self.run(app, command, segments:, store: nil)
      children = Demo::Children.new
      yield new(app, children, segments:, store:).boot(command)
    ensure
      children&.stop_all
    end

    def initialize(app, children, segments:, store:)
      @app = app
      @children = children
      @directory = Holdup::Segment::Directory.new(segments)
      @env = {"HOLDUP_ENABLED" => "true", "HOLDUP_DIR" => segments, "HOLDUP_STORE" => store}
      @env.update("HOLDUP_COLLECTOR" => "off", "HOLDUP_RING_SIZE" => RING.to_s) unless store
      @log = File.join(app.folder, "jobs.log")
    end

    # @return [self]
    # @raise [Failure]
    def boot(command)
      @pid = @children.start(:runner, {**@app.env, **@env}, *command, chdir: TrackerApp::ROOT, out: @log,
        err: @log)
      deadline = now + BOOT_S
      until worked?
        if !@children.alive?(:runner) || now > deadline
          raise Failure, "the job runner does nothing:\n#{File.readlines(@log).last(10).join}"
        end
        IO.select(nil, nil, nil, POLL_S)
      end
      self
    end

    # @return [Float] of its processes so far, without the collector
    def cpu_s
      Holdup::Lab::Child::ProcessTree.new(@pid).cpu_seconds { |command| !command.include?(" collect ") }
    end

    private

    def worked?
      slots = @directory.entries.flat_map { |entry| entry.read(&:snapshot).slots }
      slots.compact.any? { |slot| slot.series.kind == :job && slot.count.positive? }
    rescue SystemCallError, Holdup::Error
      false # there is no segment yet, or only a part of one
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
