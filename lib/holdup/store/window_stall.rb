# frozen_string_literal: true

module Holdup
  module Store
    # The stall of a window, to find which series stalled which: much less to read than a window.
    WindowStall = Data.define(:series, :setting, :host, :start_s, :stalled_ns, :caused_ns) do
      def self.of(window)
        new(
          series: window.series, setting: window.setting, host: window.host, start_s: window.start_s,
          stalled_ns: window.stalled_ns, caused_ns: window.caused_ns
        )
      end
    end
  end
end
