# frozen_string_literal: true

module Holdup
  module Lab
    # The programs that a load may come from, by name.
    module LoadTools
      ALL = [Wrk, Hey, Oha].to_h { |tool| [tool::PROGRAM, tool] }.freeze
      # In the order in which they are looked for.
      CLOSED = ALL.select { |_, tool| tool.closed? }.keys.freeze

      module_function

      # @param path [String] as in PATH
      # @return [String, nil] the first of CLOSED that is there
      def closed(path)
        CLOSED.find { |name| ALL.fetch(name).which(path) }
      end
    end
  end
end
