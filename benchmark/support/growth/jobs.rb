# frozen_string_literal: true

# What the Sidekiq of `predict-growth` loads: a job that costs more CPU the more of its kind are in flight.
require "sidekiq"
require_relative "../exact"

# Walks down a deep tree and reads through buffers there, as an export by recursion does. Garbage collections
# come with the buffers, and each of them has to go through the stack of every job in flight: what lies on a
# stack never gets old.
#
# Nothing is written into the buffers, and the job's own work is a time: little hangs on the machine's memory,
# which on virtual machines is another one with each boot.
class ExportJob
  include Sidekiq::Job

  BUFFER_BYTES = 1 << 18

  # @param levels [Integer] of the tree
  # @param buffers [Integer] that it reads through
  # @param micros [Integer] of CPU time of its own
  # @param wait_ms [Numeric] for the database
  def perform(levels, buffers, micros, wait_ms)
    below(levels, Object.new) do
      buffers.times { String.new(capacity: BUFFER_BYTES) }
      Bench::Exact.compute(micros)
      Bench::Exact.wait(wait_ms)
    end
  end

  private

  def below(levels, node, &found)
    return yield if levels.zero?
    child = node
    below(levels - 1, child, &found)
    child
  end
end

Sidekiq.configure_server { |config| config.logger.level = Logger::WARN }
