# frozen_string_literal: true

require_relative "../../holdup/base"

# `plugin :holdup` in puma.rb.
Puma::Plugin.create do
  # Called in the master (or only) process, before the application is loaded.
  def start(launcher)
    Holdup.runtime.guard.call(:puma) { Holdup.servers.install("Puma::Launcher").attach(launcher) }
  end
end
