# frozen_string_literal: true

require "yabeda"
require_relative "base"
require_relative "agent/yabeda_figures"

# Gives Yabeda the figures of this process, so that each of its adapters gets them:
#
#   require "holdup/yabeda"   # after "holdup", for example in an initializer
#
# Another copy of Holdup may have been loaded first; then nothing is measured, and there are no figures.
if __dir__ == Holdup::FOLDER
  Holdup::YabedaFigures.new(Yabeda, probe: Holdup::Probe, guard: Holdup.runtime.guard).tap do |figures|
    figures.register
    Holdup.runtime.add(figures)
  end
end
