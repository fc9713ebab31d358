# frozen_string_literal: true

module Holdup
  module Report
    # The captures of this host, for pages that lead to them. A file with a report has none.
    module HostCaptures
      private

      # @return [Array<Capture::ArchivedCapture>] newest first
      def captures = @captures ||= @context&.captures&.all.to_a
    end
  end
end
