# frozen_string_literal: true

module Holdup
  # In a file of its own so that what works on windows can be loaded before Window itself.
  Window = Data.define(:start_s, :seconds, :series, :setting, :host, :count, :errors, :sums, :histograms)

  Window::SUMS = %i[
    cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns gc_ns caused_ns acquisitions preemptions hold_squares_us2
    pool_wait_ns pool_held_ns
  ].freeze
  Window::HISTOGRAMS = %i[wall running stalled idle queued longest_hold].freeze
end
