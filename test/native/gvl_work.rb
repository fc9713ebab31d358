# frozen_string_literal: true

require "rbconfig"
gvl_work_build = "#{RbConfig::CONFIG["ruby_version"]}-#{RbConfig::CONFIG["arch"]}"
require File.join(__dir__, "../../tmp/gvl_work/#{gvl_work_build}/gvl_work")

# Exact GVL work (test/native/ext), and the measuring of it.
module GvlWork
  MS = 1_000_000

  module Measuring
    # @return [Holdup::Measurement] of the block as one unit
    def measured
      handle = Holdup::Probe.enter
      yield
      Holdup::Measurement.new(*Holdup::Probe.finish(handle))
    end
  end
end
