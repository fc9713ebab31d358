# frozen_string_literal: true

module Holdup
  module Instrumentation
    # The trace that a request says it belongs to, by the W3C header.
    module TraceParent
      HEADER = "HTTP_TRACEPARENT"
      # Version, trace, span, flags: 00-<32 digits>-<16 digits>-01. Later versions may say more behind it.
      LEAST_BYTES = 55
      TRACE = (3..34)

      # @param env [Hash] the Rack environment
      # @return [String, nil] what should be 32 hexadecimal digits; whoever writes it checks that
      def self.call(env)
        text = env[HEADER] or return
        text.byteslice(TRACE) if text.is_a?(String) && text.bytesize >= LEAST_BYTES
      end
    end
  end
end
