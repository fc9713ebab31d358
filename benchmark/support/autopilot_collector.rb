# frozen_string_literal: true

require "holdup/loader"

# `holdup collect` with config.autopilot, less patient: a benchmark deploys nothing, so a process is warm
# sooner, and it asks twice a minute what to try. Everything else is as in production.
dir, store = ARGV
clock = Holdup::Clock.new
log = Holdup::Log.new { $stderr }
host = Holdup::Collector.host_name(nil, ENV)
kind = Holdup::Autopilot::CollectorPart
inquiry = kind::Inquiry.new(store:, dir:, host:, log:, clock:)
decision = kind::Decision.new(quiet_s: 120, ask_every_s: 30)
autopilot = kind.new(dir:, inquiry:, log:, clock:, env: ENV, decision:)
Holdup::Collector.new(store: Holdup::Store.open(store), directory: dir, log:, clock:, host:, autopilot:).run
