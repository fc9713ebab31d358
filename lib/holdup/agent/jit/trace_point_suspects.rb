# frozen_string_literal: true

module Holdup
  module Jit
    # Loaded libraries that are known to use the kinds of TracePoint that spoil compiled code: the first
    # places to look when YJIT is on and does nothing. That one is loaded is no proof.
    module TracePointSuspects
      KNOWN = {
        "Byebug" => "byebug", "DEBUGGER__" => "debug", "Tracer" => "tracer", "RubyProf" => "ruby-prof",
        "PowerAssert" => "power_assert", "Rotoscope" => "rotoscope"
      }.freeze

      # @return [Array<String>] names of gems
      def self.loaded
        KNOWN.select { |constant, _| Object.const_defined?(constant) && !Object.autoload?(constant) }.values
      end
    end
  end
end
