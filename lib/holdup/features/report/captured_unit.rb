# frozen_string_literal: true

module Holdup
  module Report
    # The capture of one request or job, or the command that captures the next one like it.
    module CapturedUnit
      # A rule below the time of what it is to catch, of few digits.
      BELOW = 0.8
      SECONDS = "600"

      module_function

      # @param unit [UnitSample]
      # @param captures [Array<Capture::ArchivedCapture>] of this host
      # @return [Capture::ArchivedCapture, nil]
      def find(unit, captures)
        captures.find { |kept| kept.of?(unit.process.pid, unit.start_ns, unit.end_ns) }
      end

      # @param kept [Capture::ArchivedCapture]
      # @return [View::Blocks::Link]
      def link(kept, words)
        View::Blocks::Link.new(text: words.call(:slow_capture_open), page: "capture",
          params: {"id" => kept.id})
      end

      # @param wall_ns [Integer] time of what the next one is to be like
      # @param stalled_ns [Integer] how long it waited for the GVL
      # @return [View::Blocks::Commands]
      def command(wall_ns:, stalled_ns:, words:)
        what, ns = (stalled_ns > wall_ns / 2) ? [:stall, stalled_ns] : [:wall, wall_ns]
        rule = Capture::Trigger.new(what:, over_ns: rounded(ns * BELOW)).to_s
        item = View::Blocks::ShellCommand.holdup("capture", purpose: words.call(:slow_capture_purpose),
          options: {"--until" => rule, "--seconds" => SECONDS})
        View::Blocks::Commands.new(title: words.call(:slow_capture_next), items: [item])
      end

      # To one digit, and a millisecond at least.
      def rounded(ns)
        ms = [ns.to_i / 1_000_000, 1].max
        digit = 10**(ms.digits.size - 1)
        ms / digit * digit * 1_000_000
      end
      private_class_method :rounded
    end
  end
end
