# frozen_string_literal: true

# What the Sidekiq of `predict-growth` loads: a job that costs more CPU the more of its kind are in flight.
require "sidekiq"
require "holdup/lab/sidekiq_vcpu/work"

# Reads rows, keeps all of them, and makes large strings meanwhile, as an export does. Garbage collections come with the
# strings, and each of them has to go through the rows of every job in flight.
class ExportJob
  include Sidekiq::Job

  STEPS = 4
  STRING_BYTES = 100_000

  # @param rows [Integer] that it keeps, in each step
  # @param strings [Integer] that it makes in each step
  # @param wait_ms [Numeric] for the database, in each step
  def perform(rows, strings, wait_ms)
    kept = []
    STEPS.times do |step|
      Holdup::Lab::SidekiqVcpu::Work.run(10)
      kept << Array.new(rows) { |row| [step, row] }
      strings.times { "x" * STRING_BYTES }
      sleep(wait_ms / 1000.0)
    end
  end
end

Sidekiq.configure_server { |config| config.logger.level = Logger::WARN }
