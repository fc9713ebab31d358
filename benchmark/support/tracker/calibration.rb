# frozen_string_literal: true

require_relative "../fresh"
require_relative "../spread"

module Bench
  # How fast the machine computes, from second to second: a shared one changes by tens of percent. A process
  # of its own does the same work once a second and writes down its CPU time.
  class Calibration
    LOOP = File.join(__dir__, "calibration_loop.rb")

    # One line of the loop. `at_s`: seconds since 1970, `cpu_ns`: of the work
    Timing = Data.define(:at_s, :cpu_ns)

    # @yieldparam calibration [Calibration] while its loop runs
    # @return [Object] the block's value
    def self.run(folder)
      path = File.join(folder, "calibration")
      pid = Process.spawn(RbConfig.ruby, "--yjit", LOOP, in: File::NULL, out: path)
      yield new(path)
    ensure
      stop(pid) if pid
    end

    def self.stop(pid)
      Process.kill(:KILL, pid)
      Process.wait(pid)
    rescue Errno::ESRCH, Errno::ECHILD
      nil # it ended before
    end
    private_class_method :stop

    # @param path [String] the loop's output
    def initialize(path)
      @path = path
    end

    # @param span [Range<Numeric>] seconds since 1970
    # @return [Float] ns of the work, median
    # @raise [Failure] the loop wrote nothing meanwhile
    def median_ns(span)
      times = timings.select { |timing| span.cover?(timing.at_s) }.map(&:cpu_ns)
      raise Failure, "the calibration has no time of that span" if times.empty?
      Spread.of(times).median.to_f
    end

    private

    # The last line may be half written.
    def timings
      File.readlines(@path).grep(/\n\z/).map do |line|
        at_s, cpu_ns = line.split
        Timing.new(at_s: Float(at_s), cpu_ns: Integer(cpu_ns))
      end
    end
  end
end
