# frozen_string_literal: true

require "fileutils"

module Soak
  # The truth that Holdup's counts are held against: how many requests and jobs each thread has begun and
  # finished, in files that outlive their processes. What Holdup counts ends between the two.
  module FinishedUnits
    WORD = 8
    FOLDER = "SOAK_UNITS"

    # Begun and finished, of all processes.
    UnitCounts = Data.define(:begun, :finished) do
      def -(other) = with(begun: begun - other.begun, finished: finished - other.finished)
    end

    # Of one process: a pair of numbers for each thread.
    class UnitFile
      def initialize(folder)
        @pid = Process.pid
        born = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        @file = File.open(File.join(folder, "#{@pid}-#{born}"), "w+b")
        @threads = 0
        @lock = Mutex.new
      end

      def own? = @pid == Process.pid

      def begin
        pair = pair_of_thread
        pair[1] += 1
        @file.pwrite([pair[1]].pack("Q<"), 2 * WORD * pair[0])
      end

      def finish
        pair = pair_of_thread
        pair[2] += 1
        @file.pwrite([pair[2]].pack("Q<"), 2 * WORD * pair[0] + WORD)
      end

      private

      # Index, begun, finished.
      def pair_of_thread
        pair = Thread.current.thread_variable_get(:soak_units)
        return pair if pair && pair[3].equal?(self)
        index = @lock.synchronize { (@threads += 1) - 1 }
        [index, 0, 0, self].tap { |made| Thread.current.thread_variable_set(:soak_units, made) }
      end
    end

    class << self
      # @param folder [String]
      # @return [UnitCounts]
      def read(folder)
        words = Dir["#{folder}/*"].flat_map do |path|
          bytes = File.binread(path)
          bytes.ljust((bytes.bytesize + 15) / 16 * 16, "\0").unpack("Q<*")
        end
        begun, finished = words.each_slice(2).to_a.transpose.map(&:sum)
        UnitCounts.new(begun: begun.to_i, finished: finished.to_i)
      end

      # @return [UnitFile] of this process
      def file
        @file = UnitFile.new(ENV.fetch(FOLDER)) unless @file&.own?
        @file
      end
    end

    # Around the application: a request has begun.
    class BegunRequests
      def initialize(app)
        @app = app
      end

      def call(env)
        unless env["PATH_INFO"] == "/up"
          FinishedUnits.file.begin
          env["soak.begun"] = true
        end
        @app.call(env)
      end
    end

    # Around Puma's handling of a request, which ends after everything that hears of the answer's end.
    module FinishedRequests
      def handle_request(processor, client, requests)
        env = client.env
        super
      ensure
        FinishedUnits.file.finish if env&.delete("soak.begun")
      end
    end

    # Around Sidekiq's handling of a job.
    module FinishedJobs
      private

      def process(job)
        FinishedUnits.file.begin
        super
      ensure
        FinishedUnits.file.finish
      end
    end
  end
end
