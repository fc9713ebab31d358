# frozen_string_literal: true

require_relative "../../holdup/base"
require_relative "../../holdup/servers/puma"

# `plugin :holdup` in puma.rb.
Puma::Plugin.create do
  # Called in the master (or only) process, before the application is loaded.
  def start(launcher)
    Holdup.runtime.guard.call(:puma) do
      middleware = ->(app) { Holdup::Instrumentation::Rack.new(app, Holdup.requests) }
      Holdup::Servers::Puma.new(runtime: Holdup.runtime, middleware:).attach(launcher)
    end
  end
end
