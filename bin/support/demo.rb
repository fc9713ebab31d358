# frozen_string_literal: true

require_relative "demo/options"
require_relative "demo/fleet_run"
require_relative "demo/run"

# What commands print is UTF-8, whichever locales this machine has.
Encoding.default_external = Encoding::UTF_8
options = Demo::Options.parse(ARGV)
# A closing terminal or a supervisor's TERM ends the demo as Ctrl-C does: with everything it started.
%w[TERM HUP].each { |signal| Signal.trap(signal) { Thread.main.raise(Interrupt) } }

begin
  exit (options.fleet ? Demo::FleetRun : Demo::Run).new(options).call
rescue Demo::Failure => failure
  warn "demo: #{failure.message}"
  exit 1
rescue Interrupt
  warn "demo: stopped"
  exit 130
end
