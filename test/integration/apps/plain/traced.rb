# frozen_string_literal: true

# What a debugger or a tracer leaves behind: it has traced calls for a moment.
TracePoint.new(:call) { nil }.enable { 1 }
