# frozen_string_literal: true

require_relative "../../../examples/storefront/app/models/sales_report"

module Demo
  # Requests a second that keep the shop about as busy on any machine. Most of what it computes are sales
  # reports; where they take half the time and no more requests come, nobody waits for them.
  module MachineRate
    # The rate for a machine on which a report takes so long, without YJIT: AMD EPYC, 2026.
    REFERENCE_RATE = 108.0
    REFERENCE_S = 0.0255
    # Fewer requests say too little, and more than these are no better a demo.
    RATES = 64.0..192.0
    ROWS = 6_000
    ORDERS = 600
    PRODUCTS = 200
    TIMES = 5

    module_function

    # @return [Float]
    def call
      random = Random.new(1)
      rows = Array.new(ROWS) { |item| [item % ORDERS, random.rand(PRODUCTS), random.rand(1..5)] }
      (REFERENCE_RATE * REFERENCE_S / Array.new(TIMES) { seconds(rows) }.min).clamp(RATES).round(1)
    end

    def seconds(rows)
      before = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)
      SalesReport.new(rows).best_pairs
      Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) - before
    end
    private_class_method :seconds
  end
end
