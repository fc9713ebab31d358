# frozen_string_literal: true

# What a long run spent its time with, at its end: so that a test which gets slow is seen. CPU time, with that
# of processes which have ended, says more on a machine that others use, and which test computes and which one
# waits.
class Slowest < Minitest::Reporter
  COUNT = 12
  FROM_SECONDS = 120

  # @return [Float] seconds
  def self.cpu_s = Process.times.to_a.sum

  def start = @results = []

  def record(result) = @results << result

  def report
    return if @results.sum(&:time) < FROM_SECONDS
    io.puts "\nSlowest:"
    @results.max_by(COUNT, &:time).each { |result|
      io.puts format("%6.1f s  CPU %6.1f s  %s#%s", result.time, result.metadata[:cpu_s].to_f, result.klass,
        result.name)
    }
  end
end

module Minitest
  def self.plugin_slowest_init(options)
    reporter << Slowest.new(options[:io], options)
  end
end
Minitest.extensions << "slowest"
