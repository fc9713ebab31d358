# frozen_string_literal: true

# How much a year may bring, drawn by lot again and again in plain Ruby: more draws, a better answer. It uses
# as much CPU as it is given, on any machine, and all of it under the GVL.
class SalesForecast
  DAYS = 365

  # @param cpu_ms [Integer] of this thread
  # @return [Hash]
  def self.simulate(cpu_ms)
    random = Random.new(8_1)
    stop = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :millisecond) + cpu_ms
    years = sold = 0
    while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :millisecond) < stop
      DAYS.times { sold += random.rand(1..40) }
      years += 1
    end
    {years:, sold_a_year: sold / [years, 1].max}
  end
end
