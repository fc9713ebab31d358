# frozen_string_literal: true

require "gvl-tracing"
require "tools"

module Bench
  module Tools
    # The tracer, which prints each event as it comes: here to nowhere, as its file would be a gigabyte.
    class GvlTracing < None
      def start = ::GvlTracing.start(File::NULL)

      def stop = ::GvlTracing.stop
    end
  end
end
