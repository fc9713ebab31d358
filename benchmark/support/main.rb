# frozen_string_literal: true

require_relative "command"

# A supervisor's TERM ends what a bench started, as Ctrl-C does.
%w[TERM HUP].each { |signal| Signal.trap(signal) { Thread.main.raise(Interrupt) } }

begin
  exit Bench::Command.parse(ARGV).run
rescue Bench::Failure => failure
  warn "bench: #{failure.message}"
  exit 1
rescue Interrupt
  warn "bench: stopped"
  exit 130
end
