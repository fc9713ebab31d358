# frozen_string_literal: true

# The storefront's jobs for bin/soak --faults, counted.
require_relative "../../../examples/storefront/jobs"
require_relative "finished_units"
require "sidekiq/processor"

Sidekiq::Processor.prepend(Soak::FinishedUnits::FinishedJobs)
