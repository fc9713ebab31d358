# frozen_string_literal: true

module Holdup
  module Store
    # What a window says of stall, for those who want to know who met whom: much less to read than a window.
    WindowStall = Data.define(:series, :setting, :host, :start_s, :stalled_ns, :caused_ns) do
      # @param window [Window]
      # @return [WindowStall]
      def self.of(window)
        new(**window.to_h.slice(:series, :setting, :host, :start_s), stalled_ns: window.stalled_ns,
          caused_ns: window.caused_ns)
      end
    end
  end
end
