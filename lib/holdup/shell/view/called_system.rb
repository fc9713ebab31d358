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
      def call(line, words) = text(line.system, line.target, words:)

      # @return [String] of its words
      def key(line) = known(line.system)

      # @param system [String] of NAMES, or one of a later Holdup
      def text(system, target = nil, words:)
        [words.call(:"system_#{known(system)}"), target && Width.clean(target)].compact.join(" ")
      end

      def known(system)
        NAMES.include?(system) ? system : OTHERS
      end
      private_class_method :known
    end
  end
end
