# frozen_string_literal: true

module Holdup
  module View
    # Names of the systems that requests and jobs call.
    module CalledSystem
      NAMES = %w[sql redis memcached http cache connect push search subprocess].freeze
      # A later Holdup may know more systems.
      OTHERS = "others"

      module_function

      # @param line [Analysis::CallLine]
      # @return [String] "SQL primary"
      def call(line, words)
        [words.call(:"system_#{key(line)}"), line.target && Width.clean(line.target)].compact.join(" ")
      end

      # @return [String] of its words
      def key(line)
        NAMES.include?(line.system) ? line.system : OTHERS
      end
    end
  end
end
