# frozen_string_literal: true

require_relative "../../holdup/agent/puma_boot"

# `plugin :holdup` in puma.rb.
Puma::Plugin.create do
  # Called in the master (or only) process, before the application is loaded.
  def start(launcher)
    Holdup::PumaBoot.start(launcher)
  end
end
