# frozen_string_literal: true

require_relative "soak/fault_run"
require_relative "soak/soak_options"
require_relative "soak/soak_run"

Encoding.default_external = Encoding::UTF_8
options = Soak::SoakOptions.parse(ARGV)
# A closing terminal or a supervisor's TERM ends the run as Ctrl-C does: with everything it started.
%w[TERM HUP].each { |signal| Signal.trap(signal) { Thread.main.raise(Interrupt) } }

begin
  exit (options.faults ? Soak::FaultRun : Soak::SoakRun).new(options).call
rescue Demo::Failure => failure
  warn "soak: #{failure.message}"
  exit 1
rescue Interrupt
  warn "soak: stopped"
  exit 130
end
