# frozen_string_literal: true

# jit_probe.rb (healthy|spoiled): prints what it takes to find out whether YJIT does anything, right after it
# is on and again.

require "json"
require "holdup/agent/jit"

spoil = {"healthy" => -> {}, "spoiled" => -> { TracePoint.new(:call) { nil }.enable { 1 } }}.fetch(ARGV[0])
spoil.call
Holdup::Jit::Activation.new(jit: Holdup::Jit.yjit).call
version = Holdup::RubyVersion.here
state = Holdup::Jit::Yjit.new(api: Holdup::Jit.yjit, version:, options: Holdup::Jit::RubyOptions.read).state
effectiveness = Holdup::Jit::Effectiveness.new(api: Holdup::Jit.yjit, version:)

first, again = Array.new(2) do
  begun = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
  found = effectiveness.call(state)
  {found:, ns: Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond) - begun}
end
puts JSON.generate(found: first[:found], first_ns: first[:ns], again_ns: again[:ns])
